"""scikit-image."""

from benchmarks.competitor import Competitor


class NonLocalMeans(Competitor):
    question, name, package, module = "denoising", "scikit-image non-local means", "scikit-image", "skimage"

    def prepare(self, data):
        from skimage.restoration import denoise_nl_means

        self.denoise, self.data = denoise_nl_means, data

    def run(self):
        self.found = self.denoise(
            self.data.noisy,
            patch_size=5,
            patch_distance=6,
            fast_mode=True,
            h=0.8 * self.data.sigma,
            sigma=self.data.sigma,
        )

    def result(self):
        return self.found
