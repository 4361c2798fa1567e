"""NodeOverlays and CapacityBuffers as people write them: right, and slightly wrong."""

from hypothesis import strategies as st

from tests.lab.differential.configurations import (
    GOOD_REQUIREMENT,
    GOOD_REQUIREMENTS,
    QUANTITIES,
    REQUIREMENT,
    broken,
    broken_map,
    maybe,
    some,
)

NODE_OVERLAY = st.fixed_dictionaries(
    {"requirements": st.one_of(GOOD_REQUIREMENTS, st.lists(st.one_of(GOOD_REQUIREMENT, REQUIREMENT), max_size=2))},
    optional={
        "price": some(["0.1", "1", "-1", ".5", "1.", "x", 1]),
        "priceAdjustment": some(["+10%", "-15%", "+0.5", "-100%", "-101%", "10%", "+.5", "-.5%", "x", "+", "-99.5%"]),
        "capacity": st.dictionaries(
            some(["example.com/x", "a", "cpu", "habana.ai/gaudi"]), some(QUANTITIES), max_size=2
        ),
        "weight": some([1, 10_000, 0, 10_001]),
    },
)
WEB = {"apiGroup": "apps", "kind": "Deployment", "name": "web"}
SIZE = maybe(replicas=st.integers(0, 100), limits=st.builds(lambda cpu: {"cpu": cpu}, st.integers(0, 100)))
GOOD_BUFFER = st.one_of(
    st.builds(
        lambda size, percentage: {"scalableRef": WEB, ("percentage"): percentage, **size}, SIZE, st.integers(0, 200)
    ),
    st.builds(
        lambda size, replicas: {"podTemplateRef": {"name": "x"}, **size, ("replicas"): replicas},
        SIZE,
        st.integers(0, 9),
    ),
)
ODD_BUFFER = maybe(
    podTemplateRef=maybe(name=some(["x", ""])),
    scalableRef=maybe(apiGroup=some(["apps", ""]), kind=some(["Deployment", "Job", ""]), name=some(["web", ""])),
    replicas=some([1, 0, -1]),
    percentage=some([20, 0, 100, -1]),
    limits=st.dictionaries(some(["cpu", "memory"]), some(QUANTITIES), max_size=2),
    provisioningStrategy=some(["buffer.x-k8s.io/active-capacity", "x"]),
)
CAPACITY_BUFFER = st.fixed_dictionaries({"spec": st.one_of(GOOD_BUFFER, ODD_BUFFER, broken_map(GOOD_BUFFER))})

NODE_OVERLAYS = broken(NODE_OVERLAY)
CAPACITY_BUFFERS = broken(CAPACITY_BUFFER)
