"""Documents that pandoc reads, and the pandoc program itself."""
