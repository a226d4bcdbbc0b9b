"""Replays inside the page of a study. What runs share is there once: the page that shows them, and the model with its meshes.

A replay is a page with a recording in it (docs/reference/recording.md). Models of two runs differ in a few parameters, so that their exclusive or is mostly
zeros, which gzip makes small. The script of the study's page puts the parts together again, without a loss.
"""

from __future__ import annotations

import base64
import gzip
import re
import struct

import numpy as np

_RECORDING = re.compile(r'(<script type="text/plain" id="recording">)([^<]*)(?=</script>)')
_TITLE = re.compile(r"<title>[^<]*</title>")
_LEVEL = 6  # of gzip: 9 takes several times as long, and meshes are no smaller with it
SCRIPT = """const bytes=async id=>{const t=atob(document.getElementById(id).textContent.trim()),a=new Uint8Array(t.length);
for(let i=0;i<t.length;++i)a[i]=t.charCodeAt(i);
return new Uint8Array(await new Response(new Blob([a]).stream().pipeThrough(new DecompressionStream('gzip'))).arrayBuffer())};
const base64=blob=>new Promise(done=>{const r=new FileReader();r.onload=()=>done(r.result.slice(r.result.indexOf(',')+1));r.readAsDataURL(blob)});
const replay=async b=>{const page=new TextDecoder().decode(await bytes('page-'+b.page));
if(!b.model)return page;
const run=await bytes('data-'+b.replay),model=await bytes('model-'+b.model),at=Number(new DataView(run.buffer).getBigUint64(32,true));
for(let i=0;i<model.length;++i)run[at+i]^=model[i];
const text=await base64(await new Response(new Blob([run]).stream().pipeThrough(new CompressionStream('gzip'))).blob());
return page.replace('id="recording">',mark=>mark+text)};
for(const b of document.querySelectorAll('button[data-replay]'))b.onclick=async()=>{
const f=document.getElementById('frame-'+b.dataset.replay);
if(f.style.display==='block'){f.style.display='none';f.srcdoc='';b.textContent='Replay';return}
f.srcdoc=await replay(b.dataset);
f.style.display='block';b.textContent='Close';f.scrollIntoView({block:'nearest'})}"""


class Replays:
    """The replays of a page: buttons for its table, and elements that hold the data."""

    def __init__(self) -> None:
        self._pages: list[str] = []
        self._models: list[np.ndarray] = []
        self._elements: list[str] = []

    def add(self, index: int, page: str) -> str:
        """Takes the page that replays a run; returns the button that opens it."""
        found = _RECORDING.search(page)
        if found is None:  # a build without the page of the viewer writes tables and plots
            return self._button(index, self._page(page), "")
        content = gzip.decompress(base64.b64decode(found[2]))
        offset, size = struct.unpack_from("<QQ", content, 32)
        recording = np.frombuffer(content, np.uint8).copy()
        model = recording[offset:offset + size]
        known = next((i for i, m in enumerate(self._models) if m.size == size), None)
        if known is None:
            known = len(self._models)
            self._models.append(model.copy())
            self._elements.append(_element(f"model-{known}", model.tobytes()))
        model ^= self._models[known]
        self._elements.append(_element(f"data-{index}", recording.tobytes()))
        return self._button(index, self._page(_TITLE.sub("<title></title>", _RECORDING.sub(r"\1", page, 1), 1)), str(known))

    def _page(self, text: str) -> int:
        if text not in self._pages:
            self._elements.append(_element(f"page-{len(self._pages)}", text.encode()))
            self._pages.append(text)
        return self._pages.index(text)

    def _button(self, index: int, page: int, model: str) -> str:
        self._elements.append(f'<iframe id="frame-{index}" title="replay of run {index}"></iframe>')
        return f'<button data-replay="{index}" data-page="{page}" data-model="{model}">Replay</button>'

    def html(self) -> str:
        """The data of all replays, and their frames."""
        return "".join(self._elements)


def _element(name: str, data: bytes) -> str:
    packed = base64.b64encode(gzip.compress(data, _LEVEL, mtime=0)).decode()
    return f'<script type="application/octet-stream" id="{name}">{packed}</script>'
