-- The HTML in a notebook, of which pandoc knows no more than its text, as what it says.
function RawBlock(block)
  if block.format == "html" then
    return pandoc.read(block.text, "html-native_divs-native_spans").blocks
  end
end
