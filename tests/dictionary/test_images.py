"""Images: patches out and back, denoising, inpainting, compression, and images that nothing can be done with."""

import tracemalloc

import numpy as np
import pytest
from sklearn.datasets import load_sample_image

from tamis import InputError, denoise, inpaint
from tamis.dictionary import compress, dct_atoms, image_noise_level, noise
from tamis.dictionary.patches import Strips, sample_patches, windows


def photo(colour=False, size=96):
    image = load_sample_image("china.jpg")[100 : 100 + size, 250 : 250 + size].astype(np.float64)
    return image if colour else image.mean(axis=2)


def noisy(image, sigma, seed=0):
    return image + sigma * np.random.default_rng(seed).standard_normal(image.shape)


def psnr(image, other):
    return 10 * np.log10(255**2 / np.mean((np.asarray(image, float) - other) ** 2))


@pytest.mark.parametrize("colour", [False, True])
@pytest.mark.parametrize("step", [1, 3])
def test_patches_put_back_are_the_image(colour, step):
    image = photo(colour)[:50, :40].astype(np.float32)
    strips = Strips(image, 8, step)
    for rows, patches in strips:
        strips.put(rows, patches)
    back = (strips.total / strips.count[..., None]).reshape(image.shape)
    np.testing.assert_allclose(back, image, rtol=1e-5)


def test_patches_are_a_view():
    image = photo()
    view = windows(image, 8)
    assert np.shares_memory(view, image)
    np.testing.assert_array_equal(view[3, 5, :, :, 0], image[3:11, 5:13])
    few = sample_patches(image[:9, :9], 8, 100, np.random.default_rng(0))
    assert few.shape == (4, 64)


@pytest.mark.parametrize("sigma, most", [(5.0, 1.5), (15.0, 1.15), (25.0, 1.1)])
def test_noise_is_measured(sigma, most):
    """Fine texture counts as noise, so that little noise looks like more."""
    assert 0.95 <= image_noise_level(noisy(photo(size=200), sigma)) / sigma <= most
    smooth = np.hypot.outer(np.arange(100.0), np.arange(100.0))
    assert image_noise_level(noisy(smooth, sigma)) == pytest.approx(sigma, rel=0.05)
    assert image_noise_level(np.full((20, 20), 7.0)) == 0


@pytest.mark.parametrize("colour", [False, True])
def test_denoising_brings_the_image_nearer(colour):
    clean = photo(colour)
    given = noisy(clean, 20.0)
    better = denoise(given, 20.0, n_atoms=128, max_iter=4)
    assert psnr(better, clean) > psnr(given, clean) + 4
    learned = psnr(better, clean)
    cosines = psnr(denoise(given, 20.0, n_atoms=128, max_iter=0), clean)
    assert learned > cosines - 0.3
    guessed = denoise(given, n_atoms=128, max_iter=4)
    assert psnr(guessed, clean) > psnr(given, clean) + 3


def test_denoising_keeps_type_and_scale():
    clean = photo(size=64)
    given = np.clip(noisy(clean, 15.0), 0, 255).astype(np.uint8)
    out = denoise(given, 15.0, n_atoms=64, max_iter=2)
    assert out.dtype == np.uint8
    unit = denoise(given / 255.0, 15.0 / 255, n_atoms=64, max_iter=2)
    assert unit.dtype == np.float64
    assert denoise((given / 255).astype(np.float32), 0.06, n_atoms=64, max_iter=1).dtype == np.float32
    np.testing.assert_array_equal(denoise(given, 0.0), given)
    np.testing.assert_array_equal(denoise(given, 15.0, n_atoms=64, max_iter=2), out)  # the same seed
    again = denoise(given, 15.0, dictionary=dct_atoms(100, (8, 8)))
    assert psnr(again, clean) > psnr(given, clean) + 2


def test_constant_images_stay():
    np.testing.assert_allclose(denoise(np.full((20, 24), 9.0), 2.0, n_atoms=32, max_iter=2), 9.0, rtol=1e-6)
    np.testing.assert_array_equal(denoise(np.zeros((8, 8)), 1.0, n_atoms=32, max_iter=1), 0)


@pytest.mark.parametrize("colour", [False, True])
def test_missing_pixels_are_filled_in(colour):
    clean = photo(colour, size=64)
    mask = np.random.default_rng(0).random(clean.shape[:2]) < 0.4
    filled = inpaint(np.where(mask[..., None] if colour else mask, 0, clean), mask, n_atoms=128, max_iter=4)
    np.testing.assert_array_equal(filled[~mask], clean[~mask])
    mean = np.where(mask[..., None] if colour else mask, clean[~mask].mean(axis=0), clean)
    assert psnr(filled, clean) > psnr(mean, clean) + 6


def test_a_hole_larger_than_a_patch_is_filled_from_its_border():
    ramp = np.add.outer(np.arange(48.0), 2 * np.arange(48.0))
    mask = np.zeros(ramp.shape, bool)
    mask[10:30, 12:34] = True
    given = np.where(mask, np.nan, ramp)
    filled = inpaint(given, mask, n_atoms=64, max_iter=2)
    assert np.isfinite(filled).all()
    assert np.abs(filled - ramp).max() < 25  # of 141
    np.testing.assert_array_equal(filled[~mask], ramp[~mask])


def test_nothing_missing_nothing_changes():
    image = photo(size=16)
    np.testing.assert_array_equal(inpaint(image, np.zeros((16, 16), bool)), image)


@pytest.mark.parametrize("colour", [False, True])
def test_compression_by_codes(colour):
    image = photo(colour, size=60).astype(np.uint8)
    few, more = (compress(image, n_nonzero=n, n_atoms=128, max_iter=3) for n in (2, 8))
    assert few.image().shape == image.shape
    assert few.image().dtype == np.uint8
    assert few.numbers_per_pixel < more.numbers_per_pixel
    assert psnr(image, few.image()) < psnr(image, more.image())
    bounded = compress(image, error=6.0, n_atoms=128, max_iter=3)
    assert psnr(image, bounded.image()) > psnr(image, np.zeros_like(image) + 6.5 + image.astype(float)) - 0.5


@pytest.mark.parametrize(
    "call, words",
    [
        (lambda: denoise(np.zeros((5, 40)), 1.0), "smaller than a patch"),
        (lambda: denoise(np.zeros(40), 1.0), "image must be"),
        (lambda: denoise(np.zeros((20, 20, 7)), 1.0), "image must be"),
        (lambda: denoise(np.zeros((20, 20), complex), 1.0), "image must be"),
        (lambda: denoise(np.full((20, 20), np.nan), 1.0), "contains NaN"),
        (lambda: denoise(np.zeros((20, 20)), -1.0), "sigma must be"),
        (lambda: denoise(np.eye(20), 1.0, patch=0), "patch must be"),
        (lambda: denoise(np.eye(20), 1.0, step=9), "step must be"),
        (lambda: denoise(np.eye(20), 1.0, n_atoms=0), "n_atoms must be"),
        (lambda: denoise(np.eye(20), 1.0, dictionary=np.eye(5)), "dictionary must hold atoms of 64"),
        (lambda: denoise(np.eye(20), 1.0, dictionary="dct"), "dictionary must hold atoms of 64"),
        (lambda: denoise(np.eye(20), 1.0, dictionary=np.zeros((0, 64))), "at least one"),
        (lambda: denoise(np.eye(2), patch=2), "too small to measure its noise"),
        (lambda: inpaint(np.full((20, 20), np.nan), np.zeros((20, 20), bool)), "where mask is False"),
        (lambda: inpaint(np.eye(20), np.ones((20, 20), bool)), "covers the whole image"),
        (lambda: inpaint(np.eye(20), np.ones((19, 20), bool)), "mask must be"),
        (lambda: inpaint(np.eye(20), np.ones((20, 20))), "mask must be"),
        (lambda: inpaint(np.full((20, 20), np.nan), np.eye(20, dtype=bool)), "where mask is False"),
        (lambda: compress(np.eye(20)), "n_nonzero or error"),
    ],
)
def test_complaints(call, words):
    with pytest.raises(InputError, match=words):
        call()


def test_progress_is_told():
    calls = []
    denoise(photo(size=40), 10.0, n_atoms=32, max_iter=2, on_progress=lambda *a: calls.append(a))
    assert ("learning atoms", 2, 2) in calls
    assert calls[-1][0] == "patches"
    assert calls[-1][1] == calls[-1][2]


def test_memory_is_bounded_by_the_image_not_by_its_patches():
    """64 patches cover a pixel: all of them would be 256 bytes for each. A photo of 24 megapixels has 2 GB."""
    image = np.random.default_rng(0).integers(0, 255, (1600, 1250), dtype=np.uint8)
    tracemalloc.start()
    try:
        image_noise_level(image)
        denoise(image, 80.0, n_atoms=32, max_iter=0, step=4)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    strips = 20 * 4 * 2**22 / 8  # a strip of patches in float32 and what is made of it
    assert peak < 24 * image.size + strips


def test_noise_of_a_large_image_is_measured_in_strips_all_over_it(monkeypatch):
    image = noisy(photo(size=200), 15.0)
    whole = image_noise_level(image)
    monkeypatch.setattr(noise, "AT_ONCE", 1000)
    assert image_noise_level(image) == whole
    monkeypatch.setattr(noise, "MOST_PIXELS", 10_000)
    assert image_noise_level(image) == pytest.approx(whole, rel=0.1)
    assert image_noise_level(image) != whole


def test_colours_are_better_denoised_together_than_apart():
    clean = photo(True)
    given = noisy(clean, 20.0)
    apart = np.dstack([denoise(given[..., c], 20.0, n_atoms=96, max_iter=3) for c in range(3)])
    assert psnr(denoise(given, 20.0, n_atoms=96, max_iter=3), clean) > psnr(apart, clean) + 0.5


@pytest.mark.parametrize("dtype", [np.uint8, np.uint16, np.int32])
def test_whole_numbers_come_back_in_their_type(dtype):
    image = photo(size=40).astype(dtype)
    out = denoise(image, 10.0, n_atoms=32, max_iter=1)
    assert out.dtype == dtype
    assert out.shape == image.shape
    assert np.abs(out.astype(float) - image).mean() < 10


@pytest.mark.parametrize("dtype", [np.uint16, np.int16, np.int32, np.int64])
def test_whole_numbers_of_any_type_are_denoised_alike(dtype):
    """Pixels of 0 to 255: what the type could hold says nothing of where white is."""
    clean = photo(size=64)
    given = np.clip(noisy(clean, 20.0), 0, 255).astype(np.uint8)
    expected = denoise(given, 20.0, n_atoms=64, max_iter=1)
    out = denoise(given.astype(dtype), 20.0, n_atoms=64, max_iter=1)
    assert psnr(out, clean) == pytest.approx(psnr(expected, clean), abs=0.3)


def test_a_hot_pixel_does_not_keep_the_noise():
    clean = photo(size=64)
    given = noisy(clean, 20.0)
    given[30, 20] = 1e5
    far = np.hypot(*np.ogrid[-30:34, -20:44]) > 12
    out = denoise(given, 20.0, n_atoms=64, max_iter=1)
    assert psnr(out[far], clean[far]) > psnr(given[far], clean[far]) + 2


@pytest.mark.parametrize("shift, scale", [(1e9, 1.0), (0.0, 1e30), (0.0, 1e-30)])
def test_images_in_any_units(shift, scale):
    clean = photo(size=48)
    given = noisy(clean, 20.0)
    mask = np.random.default_rng(1).random(clean.shape) < 0.3
    options = {"n_atoms": 64, "max_iter": 1}
    moved = (denoise(given * scale + shift, 20.0 * scale, **options) - shift) / scale
    np.testing.assert_allclose(moved, denoise(given, 20.0, **options), rtol=0, atol=2)
    moved = (inpaint(clean * scale + shift, mask, **options) - shift) / scale
    assert psnr(moved, clean) > psnr(inpaint(clean, mask, **options), clean) - 1


def test_true_and_false_are_one_and_zero():
    image = photo(size=40) > 100
    np.testing.assert_array_equal(
        denoise(image, 0.4, n_atoms=32, max_iter=1), denoise(image.astype(float), 0.4, n_atoms=32, max_iter=1)
    )
    assert image_noise_level(image) == image_noise_level(image.astype(float))


def test_an_all_masked_block_is_filled_and_the_rest_left():
    image = photo(size=40).astype(np.uint8)
    mask = np.zeros((40, 40), bool)
    mask[8:24, 8:24] = True  # whole patches of 8 × 8 have no pixel
    filled = inpaint(image, mask, n_atoms=48, max_iter=1)
    assert filled.dtype == np.uint8
    np.testing.assert_array_equal(filled[~mask], image[~mask])
    assert psnr(filled, image) > 15
