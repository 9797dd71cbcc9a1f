"""A learner that says when it has been fitted so often, in a module that a worker in this process finds by its name."""

import threading
import time

from sklearn.naive_bayes import GaussianNB


class Counted(GaussianNB):
    """From the fit on that says so, each takes its time: until the scheduler is gone."""

    fits, goal, reached, slow = 0, 18, threading.Event(), True

    def fit(self, X, y, sample_weight=None):
        Counted.fits += 1
        if Counted.fits == Counted.goal:
            Counted.reached.set()
        if Counted.fits >= Counted.goal and Counted.slow:
            time.sleep(0.2)
        return super().fit(X, y)
