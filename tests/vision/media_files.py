"""Pictures and videos for the tests, made here: the smallest that are what they say."""

import io
import struct

from PIL import Image


def picture(form="PNG", size=(60, 40), mode="RGB", color="red", **options):
    stream = io.BytesIO()
    Image.new(mode, size, color).save(stream, form, **options)
    return stream.getvalue()


def animation(form="GIF", colors=("red", "green", "blue", "white", "black"), size=(20, 10)):
    stream = io.BytesIO()
    first, *others = [Image.new("RGB", size, color) for color in colors]
    first.save(stream, form, save_all=True, append_images=others, duration=100, lossless=True)
    return stream.getvalue()


def opened(data):
    return Image.open(io.BytesIO(data))


def box(kind, content=b""):
    return struct.pack(">I4s", 8 + len(content), kind) + content


def mp4(brand=b"isom", handler=b"vide", film=b"film" * 10):
    track = box(b"moov", box(b"trak", box(b"mdia", box(b"hdlr", bytes(8) + handler + bytes(12)))))
    return box(b"ftyp", brand + bytes(4) + brand) + track + box(b"mdat", film)


def matroska(doc_type=b"webm"):
    header = b"\x42\x86\x81\x01\x42\x82" + bytes([0x80 | len(doc_type)]) + doc_type
    return (
        b"\x1a\x45\xdf\xa3"
        + bytes([0x80 | len(header)])
        + header
        + b"\x18\x53\x80\x67\x01\xff\xff\xff\xff\xff\xff\xff"
        + bytes(64)
    )


def avi(kind=b"vids"):
    headers = b"hdrl" + b"avih" + bytes(60) + b"strh" + kind + bytes(40)
    body = b"AVI LIST" + struct.pack("<I", len(headers)) + headers + bytes(32)
    return b"RIFF" + struct.pack("<I", len(body)) + body
