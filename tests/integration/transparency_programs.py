"""Programs of timers, promises, messages and requests, made by chance, and what each notices of the platform."""

from __future__ import annotations

import random
import re
from pathlib import Path

_RUNTIME = """
const L={};const errors=L.errors=[];
onerror=(m)=>{errors.push('error '+m);return true};
onunhandledrejection=e=>{errors.push('unhandled '+(e.reason&&e.reason.message||e.reason));e.preventDefault()};
onrejectionhandled=e=>{errors.push('handled '+(e.reason&&e.reason.message||e.reason))};
const sleep=ms=>new Promise(r=>setTimeout(r,ms));
const attempt=f=>{try{return String(f())}catch(e){return e.name+': '+e.message}};
"""
_STEPS = Path(__file__).with_name("transparency_steps.txt").read_text("utf-8").splitlines()


def _fill(step: str, name: str, index: int, delay: int) -> str:
    values = {"NAMES": "names", "NAME": f"'{name}'", "K": str(index), "D": str(delay)}
    return re.sub(r"\b(NAMES?|K|D)\b", lambda found: values[found[0]], step)


def page_script(seed: int, programs: int) -> str:
    """A page's script that runs so many programs of one seed; it writes their logs as JSON when all are over."""
    chance = random.Random(seed)
    lanes = []
    for number in range(programs):
        name = f"p{seed}x{number}"
        steps = [
            _fill(chance.choice(_STEPS), name, index, chance.choice([0, 1, 4, 12, 30]))
            for index in range(chance.randint(2, 5))
        ]
        body = "".join(f"{{{step}}};" for step in steps)
        lanes.append(f"lane('{name}',async g=>{{{body}}})")
    return (
        f"{_RUNTIME}const names=Object.getOwnPropertyNames(window).length;"
        "const lane=(n,f)=>{L[n]=[];return f((...a)=>{L[n].push(a.join(' '))})"
        ".catch(e=>L[n].push('failed '+e.message))};"
        f"(async()=>{{for(const f of [{','.join(f'()=>{one}' for one in lanes)}])await f();"
        "errors.sort();say(JSON.stringify(L))})()"
    )
