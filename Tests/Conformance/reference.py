"""Decoders that share no code with facecrop: Pillow with its own libavif and libwebp, libheif, tifffile and imagecodecs' libjxl."""

import imagecodecs
import numpy as np
import pillow_heif
import tifffile
from PIL import Image, ImageFile, ImageOps

pillow_heif.register_heif_opener()
Image.MAX_IMAGE_PIXELS = None
ImageFile.LOAD_TRUNCATED_IMAGES = False


def rgba(levels):
    """Levels of 8 bits with 1 to 4 channels as RGBA."""
    if levels.ndim == 2:
        levels = levels[..., None]
    channels = levels.shape[2]
    color = np.repeat(levels[..., :1], 3, axis=2) if channels < 3 else levels[..., :3]
    alpha = levels[..., -1:] if channels in (2, 4) else np.full((*levels.shape[:2], 1), 255, np.uint8)
    return np.concatenate([color, alpha], axis=2)


def scaled(samples, bits):
    """Samples of so many bits as levels of 8, rounded."""
    most = (1 << bits) - 1
    return ((samples.astype(np.int64) * 255 + most // 2) // most).astype(np.uint8)


def pillow(path):
    with Image.open(path) as image:
        image = ImageOps.exif_transpose(image)
        if image.mode in ("I", "I;16", "I;16B"):
            return rgba(scaled(np.asarray(image).astype(np.int64) & 0xFFFF, 16))
        return np.asarray(image.convert("RGBA"))


def png(path):
    samples = imagecodecs.png_decode(path.read_bytes())
    levels = scaled(samples, 16) if samples.dtype == np.uint16 else samples
    # Of the chunk eXIf alone, as browsers have it.
    with Image.open(path) as image:
        exif = Image.Exif()
        exif.load(image.info.get("exif", b""))
        return turned(rgba(levels), exif.get(0x0112, 1))


def turned(pixels, orientation):
    """Upright, by EXIF's number."""
    if orientation > 4:
        pixels = pixels.swapaxes(0, 1)
    flips = {2: (1,), 3: (0, 1), 4: (0,), 6: (1,), 7: (0, 1), 8: (0,)}
    return np.flip(pixels, flips[orientation]) if orientation in flips else pixels


def tiff(path):
    with tifffile.TiffFile(path) as file:
        page = file.pages[0]
        samples = page.asarray()
        if page.planarconfig == 2 and samples.ndim == 3 and samples.shape[0] == page.samplesperpixel:
            samples = np.moveaxis(samples, 0, 2)
        bits = page.bitspersample if isinstance(page.bitspersample, int) else page.bitspersample[0]
        if samples.dtype.kind not in "ub" or bits > 16:
            raise ValueError(f"samples of {samples.dtype}")
        if page.photometric == 3:
            colors = page.colormap
            levels = np.moveaxis(colors >> (8 if colors.max() > 255 else 0), 0, 1).astype(np.uint8)[samples.astype(np.int64)]
        else:
            levels = scaled(samples, bits)
        if page.photometric == 0:
            levels = 255 - levels
        if page.photometric == 5:
            inks = 255 - levels[..., :4].astype(np.int64)
            levels = ((inks[..., :3] * inks[..., 3:] + 127) // 255).astype(np.uint8)
        has_alpha = page.extrasamples[:1] in ((1,), (2,))
        colors = 3 if page.photometric in (2, 3, 5, 6) else 1
        if levels.ndim == 3:
            levels = levels[..., : colors + (1 if has_alpha and page.photometric not in (3, 5) else 0)]
        if has_alpha and page.extrasamples[0] == 1:
            alpha = levels[..., -1:].astype(np.int64)
            whole = np.where(alpha == 0, 0, (levels[..., :-1].astype(np.int64) * 255 + alpha // 2) // np.maximum(alpha, 1))
            levels = np.concatenate([np.minimum(whole, 255).astype(np.uint8), levels[..., -1:]], axis=2)
        tag = page.tags.get("Orientation")
        return turned(rgba(levels), int(tag.value) if tag else 1)


def jxl(path, bits):
    samples = imagecodecs.jpegxl_decode(path.read_bytes(), index=0)
    if samples.dtype == np.uint16:
        samples = scaled(samples, bits)
    if samples.dtype != np.uint8:
        raise ValueError(f"samples of {samples.dtype}")
    return rgba(samples)


def decode(path, kind, bits):
    """The first image as displayed, in RGBA of 8 bits.

    kind and bits: what facecrop says that the file is, or "unknown", and the bits of its samples, which libjxl does not scale.
    """
    return jxl(path, bits) if kind == "jxl" else {"png": png, "tiff": tiff}.get(kind, pillow)(path)
