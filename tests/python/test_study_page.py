"""The page of a study in Chromium: it opens without requests or errors, shows the store's numbers, replays runs, fits a phone."""

import json
import os
import re
import shutil
import subprocess
import time
import urllib.request

import pytest

from holdfast.study import Study
from holdfast.study.report import write_report

pytestmark = pytest.mark.skipif("asan" in os.environ.get("LD_PRELOAD", ""), reason="Chromium does not run under our sanitizer")
STUDY = dict(name="pinch", scene="pinch.xml", keyframe="soft", time=0.3, repetitions=60, keep={"drop": "-final(q('capsule')[2])"}, success="drop < 0.01",
             worst="drop", parameters={"mu": {"set": "geom.*.friction[0]", "uniform": [0.005, 0.05]}, "squeeze": {"set": ["ctrl.left", "ctrl.right"], "uniform": [2, 12]},
                                       "mass": {"set": "mass.capsule", "values": [0.045, -1.0]}})


class Page:
    """A page in headless Chromium, spoken to by its debugging protocol."""

    def __init__(self, url, folder):
        connect = pytest.importorskip("websockets.sync.client").connect
        program = shutil.which("chromium") or shutil.which("chromium-browser")
        if not program:
            pytest.skip("no chromium")
        self.process = subprocess.Popen([program, "--headless", "--no-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--remote-debugging-port=0",
                                         "--remote-allow-origins=*", f"--user-data-dir={folder}", "--window-size=1200,1600", "about:blank"], stderr=subprocess.PIPE, text=True)
        port = next(m[1] for line in self.process.stderr if (m := re.search(r"DevTools listening on ws://127.0.0.1:(\d+)/", line)))
        targets = json.load(urllib.request.urlopen(f"http://127.0.0.1:{port}/json/list"))
        self.context = connect(next(t["webSocketDebuggerUrl"] for t in targets if t["type"] == "page"), max_size=None)
        self.socket = self.context.__enter__()
        self.count, self.errors, self.requests = 0, [], []
        for domain in ("Page", "Runtime", "Network", "Log"):
            self.call(f"{domain}.enable")
        self.call("Page.navigate", url=url)
        self.until("document.readyState === 'complete'")

    def call(self, method, **parameters):
        self.count += 1
        self.socket.send(json.dumps({"id": self.count, "method": method, "params": parameters}))
        while True:
            message = json.loads(self.socket.recv(60))
            if message.get("id") == self.count:
                assert "error" not in message, message
                return message["result"]
            if message.get("method") == "Runtime.exceptionThrown" or message.get("method") == "Log.entryAdded" and message["params"]["entry"]["level"] == "error":
                self.errors.append(json.dumps(message["params"])[:500])
            if message.get("method") == "Network.requestWillBeSent" and not message["params"]["request"]["url"].startswith(("file:", "data:", "blob:", "about:")):
                self.requests.append(message["params"]["request"]["url"])

    def value(self, script):
        return self.call("Runtime.evaluate", expression=script, awaitPromise=True, returnByValue=True)["result"].get("value")

    def until(self, script, seconds=30):
        end = time.monotonic() + seconds
        while not self.value(script):
            assert time.monotonic() < end, f"not within {seconds} s: {script}"
            time.sleep(0.1)

    def close(self):
        self.context.__exit__(None, None, None)
        self.process.kill(), self.process.wait()


@pytest.fixture
def made(tmp_path):
    store = Study(**STUDY).run(tmp_path / "s.db")
    write_report(store, tmp_path / "s.html", 2)
    page = Page(f"file://{tmp_path}/s.html", tmp_path / "profile")
    yield store, page
    page.close()


def test_the_page(made, tmp_path):
    store, page = made
    rows = list(store.rows())
    judged = [r for r in rows if r["success"] is not None]
    assert page.value("document.querySelectorAll('#maps svg').length") == 3 and page.value("document.querySelectorAll('#shares svg').length") == 3
    # The cells of every map add up to the runs of the store.
    for i in range(3):
        titles = page.value(f"[...document.querySelectorAll('#maps svg')[{i}].querySelectorAll('rect title')].map(t => t.textContent)")
        numbers = [[int(x) for x in re.search(r": (\d+) of (\d+) succeed", t).groups()] for t in titles]
        assert sum(n for _, n in numbers) == len(judged) and sum(k for k, _ in numbers) == sum(bool(r["success"]) for r in judged)
    assert page.value("document.querySelectorAll('#failures tbody tr').length") == 60
    assert "mass" in page.value("document.querySelector('#failures tbody tr').lastChild.textContent")
    worst = max((r for r in rows if r["status"] == "done"), key=lambda r: r["metrics"]["drop"])["index"]
    assert page.value("document.querySelector('#worst button').dataset.replay") == str(worst)
    # The replay opens in the page, and closes again.
    page.value("document.querySelector('#worst button').click()")
    page.until(f"!!document.getElementById('frame-{worst}').contentDocument?.querySelector('canvas, svg, table')")
    time.sleep(1)
    assert page.value(f"document.getElementById('frame-{worst}').getBoundingClientRect().height") > 300
    page.value("document.querySelector('#worst button').click()")
    assert page.value(f"getComputedStyle(document.getElementById('frame-{worst}')).display") == "none"
    page.call("Emulation.setDeviceMetricsOverride", width=390, height=800, deviceScaleFactor=1, mobile=True)
    assert page.value("document.documentElement.scrollWidth") <= 390
    assert page.errors == [] and page.requests == []
