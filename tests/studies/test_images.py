"""Images read and written: values between 0 and 1, colours and transparency, and what cannot be used."""

from pathlib import Path

import imageio.v3 as imageio
import numpy as np
import pytest

from tamis import InputError
from tamis.studies.images import check_image_name, data_uri, luminance, read_image, read_picture, write_image


def gradient(*shape):
    return np.linspace(0.0, 1.0, int(np.prod(shape))).reshape(shape)


@pytest.mark.parametrize("ending", ["png", "tif", "tiff", "bmp", "PNG"])
@pytest.mark.parametrize("shape", [(7, 5), (7, 5, 3)])
def test_written_image_is_read_back_to_eight_bits(tmp_path, ending, shape):
    image = gradient(*shape)
    write_image(tmp_path / f"a.{ending}", image)
    back = read_image(tmp_path / f"a.{ending}")
    assert back.shape == shape
    assert back.dtype == np.float64
    assert np.abs(back - image).max() <= 0.5 / 255 + 1e-12  # half a step of rounding


def test_jpeg_is_close(tmp_path):
    image = gradient(32, 32)
    write_image(tmp_path / "a.jpg", image)
    assert np.abs(read_image(tmp_path / "a.jpg") - image).max() < 0.05


def test_sixteen_bits_are_kept(tmp_path):
    image = (gradient(9, 9) * 65535).astype(np.uint16)
    imageio.imwrite(tmp_path / "a.png", image)
    np.testing.assert_array_equal(read_image(tmp_path / "a.png"), image / 65535)


def test_whole_numbers_are_written_as_they_are_read(tmp_path):
    image = (gradient(9, 9) * 65535).astype(np.uint16)
    write_image(tmp_path / "a.png", image)
    picture = read_picture(tmp_path / "a.png")
    np.testing.assert_array_equal(picture.pixels, image)
    assert picture.white == 65535
    write_image(tmp_path / "a.bmp", image)  # which has eight bits
    np.testing.assert_allclose(read_picture(tmp_path / "a.bmp").pixels, image / 257, rtol=0, atol=0.5)


@pytest.mark.parametrize("shape", [(6, 4), (6, 4, 3)])
def test_transparency_is_written_back(tmp_path, shape):
    image, alpha = (gradient(*shape) * 255).astype(np.uint8), (gradient(6, 4) * 200).astype(np.uint8)
    write_image(tmp_path / "a.png", image, alpha)
    picture = read_picture(tmp_path / "a.png")
    np.testing.assert_array_equal(picture.pixels, image)
    np.testing.assert_array_equal(picture.alpha, alpha)


def test_transparency_stands_on_white(tmp_path):
    pixels = np.zeros((2, 2, 4), np.uint8)
    pixels[0, 0] = [255, 0, 0, 255]
    imageio.imwrite(tmp_path / "a.png", pixels)
    image = read_image(tmp_path / "a.png")
    np.testing.assert_array_equal(image[0, 0], [1, 0, 0])
    np.testing.assert_array_equal(image[1, 1], [1, 1, 1])


def test_grey_is_the_luminance(tmp_path):
    pixels = np.random.default_rng(0).integers(0, 256, (4, 6, 3), dtype=np.uint8)
    imageio.imwrite(tmp_path / "a.png", pixels)
    expected = (0.299 * pixels[..., 0] + 0.587 * pixels[..., 1] + 0.114 * pixels[..., 2]) / 255
    np.testing.assert_allclose(read_image(tmp_path / "a.png", grey=True), expected, rtol=0, atol=1e-15)
    np.testing.assert_array_equal(luminance(gradient(3, 3)), gradient(3, 3))


def test_values_outside_are_clipped_when_written(tmp_path):
    write_image(tmp_path / "a.png", np.array([[-1.0, 2.0]]))
    np.testing.assert_array_equal(read_image(tmp_path / "a.png"), [[0.0, 1.0]])


def test_data_uri_holds_the_image(tmp_path):
    import base64

    kind, _, content = data_uri(gradient(3, 4)).partition(",")
    assert kind == "data:image/png;base64"
    assert imageio.imread(base64.b64decode(content)).shape == (3, 4)


def write_text(path: Path):
    path.write_text("no image")


def write_floats(path: Path):
    imageio.imwrite(path, np.full((3, 3), 7.0, np.float32), extension=".tif")


@pytest.mark.parametrize(
    "make, words",
    [
        (lambda path: None, "there is no such file"),
        (lambda path: path.mkdir(), "it is a folder"),
        (write_text, "as an image"),
        (write_floats, "not all between 0 and 1"),
    ],
)
def test_what_is_no_image_is_named(tmp_path, make, words):
    path = tmp_path / "a.tif"
    make(path)
    with pytest.raises(InputError, match=words) as caught:
        read_image(path, argument="photo")
    assert str(path) in str(caught.value)
    assert caught.value.argument == "photo"


def test_unknown_ending_is_refused_before_work():
    with pytest.raises(InputError, match=r"must end with one of \.png") as caught:
        check_image_name(Path("a.xyz"), "out")
    assert caught.value.argument == "out"


def test_nothing_is_left_where_the_folder_is_missing(tmp_path):
    with pytest.raises(InputError, match="cannot write"):
        write_image(tmp_path / "no" / "a.png", gradient(2, 2))
    assert not list(tmp_path.iterdir())
