"""The page of a study in Chromium: it opens without requests or errors, shows the store's numbers, replays runs, fits a phone."""

import base64
import gzip
import json
import os
import re
import shutil
import subprocess
import time
import urllib.request

import pytest

import holdfast as hf
from holdfast.study import Study
from holdfast.study.replays import Replays
from holdfast.study.report import replay_page, write_report

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


def recording_of(page):
    """The text of the recording in a page; None in a build without the page."""
    found = re.search('id="recording">([^<]*)<', page)
    return found and found[1]


def test_replays_share_page_and_model():
    """The parts of each run give its own recording again, to the last byte, though the models of two runs differ."""
    builder = hf.Builder.from_file(hf.models_path() / "pinch.xml")
    replays, recordings, texts = Replays(), [], []
    for index in range(2):
        builder.set_world(gravity=(0, 0, -1 - index))
        sim = hf.Sim(builder.finish(), report=True)
        sim.step(steps=50 * (index + 1))
        texts.append(sim.report(f"run {index}").html)
        if recording_of(texts[-1]) is None:
            pytest.skip("this build has no page")
        recordings.append(gzip.decompress(base64.b64decode(recording_of(texts[-1]))))
        assert 'data-page="0" data-model="0"' in replays.add(index, texts[-1])
    html = replays.html()

    def element(name):
        return gzip.decompress(base64.b64decode(re.search(f'id="{name}">([^<]*)<', html)[1]))

    model = element("model-0")
    assert len(re.findall('id="page-', html)) == len(re.findall('id="model-', html)) == 1 and "run 1" not in element("page-0").decode()
    for index, recording in enumerate(recordings):
        run = bytearray(element(f"data-{index}"))
        at = int.from_bytes(run[32:40], "little")
        run[at:at + len(model)] = bytes(a ^ b for a, b in zip(run[at:], model))
        assert run == recording
    assert recordings[0] != recordings[1] and len(html) < 1.1 * len(texts[0])


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
    assert page.value("document.querySelectorAll('[id^=page-]').length") == 1  # both replays share the page that shows them
    if text := recording_of(replay_page(store, worst)):
        shown = page.value(f"document.getElementById('frame-{worst}').contentDocument.getElementById('recording').textContent")
        shown, replayed = (gzip.decompress(base64.b64decode(t)) for t in (shown, text))
        chunks = int.from_bytes(replayed[48:56], "little")  # frames, which have times of the clock, are behind the model
        assert len(shown) == len(replayed) and shown[:chunks] == replayed[:chunks]
        assert page.value("document.querySelectorAll('[id^=model-]').length") == 1
    assert page.value(f"document.getElementById('frame-{worst}').getBoundingClientRect().height") > 300
    page.value("document.querySelector('#worst button').click()")
    assert page.value(f"getComputedStyle(document.getElementById('frame-{worst}')).display") == "none"
    page.call("Emulation.setDeviceMetricsOverride", width=390, height=800, deviceScaleFactor=1, mobile=True)
    assert page.value("document.documentElement.scrollWidth") <= 390
    assert page.errors == [] and page.requests == []
