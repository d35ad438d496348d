"""Answers of the document, computed by hand, that `backoff-oracle eval` must give."""

# base_ms max_ms max_attempts, what else is asked; by hand: the canonical answers, and those of readings that differ.
EVALUATED = [
    ("2 5 3", "", "0..2, 0..4, 0..5, exhausted", {
        "attempt-origin=one": "0..4, 0..5, 0..5, exhausted",
        "upper-bound=exclusive": "0 or 1, 0..3, 0..4, exhausted",
        "window-growth=compare-half (hazard)": "0..2, 0..5, 0..5, exhausted",
        "exhaustion-call=n (hazard)": "0..2, 0..4, exhausted, exhausted",
        "delay-resolution=real": "[0, 2], [0, 4], [0, 5], exhausted"}),
    ("2 5 forever", "draw=7,4,2147483648", "1, 4, 2", {     # mod 3, 5, 6
        "attempt-origin=one": "2, 4, 2",                    # mod 5, 6, 6
        "upper-bound=exclusive": "1, 0, 3",                 # mod 2, 4, 5
        "draw-mapping=scaled": "0, 0, 3",                   # half of 6
        "draw-mapping=real": "~0.000000003259, ~0.000000003725, 2.5",
        "delay-resolution=real": "~0.000000003259, ~0.000000003725, 2.5",
        "draw-mapping=divided": "0, 0, 2",                  # by 715827883, which is more than 2^32 / 6
        "draw-mapping=near": "0 or 1, 0 or 1, 2..4",            # 3 ± 1.0000014
        "draw-mapping=other": "0..2, 0..4, 0..5"}),
    ("10 5 forever", "steps=next:9,reset,next", "3, ok, 0..5", {
        "upper-bound=exclusive": "4, ok, 0..4",
        "first-window=uncapped (hazard)": "9, ok, 0..10",
        "draw-mapping=scaled": "0, ok, 0..5",
        "draw-mapping=real": "~0.000000010477, ok, [0, 5]",
        "delay-resolution=real": "~0.000000010477, ok, [0, 5]",
        "draw-mapping=divided": "0, ok, 0..5",
        "draw-mapping=near": "0 or 1, ok, 0..5",
        "draw-mapping=other": "0..5, ok, 0..5"}),
    ("0 5 1", "steps=next@2", "0, exhausted", {
        "exhaustion-call=n (hazard)": "exhausted, exhausted",
        "empty-window=undefined (hazard)": "not judged from here on"}),
    ("1 100 forever", "", "0 or 1, 0..2, 0..4, 0..8, 0..16, 0..32, 0..64, 0..100", None),
    ("1 100 0", "", "exhausted", {}),
    ("4294967295 4294967295 1", "", "0..4294967295, exhausted", None),
]
