"""Memory and descriptors do not grow over a million requests on one loop."""

from harness import Gateway, Upstream, check, wait_until
from traffic import Traffic

MIB = 1024


def prove():
    with Upstream("chart") as upstream, Gateway(upstream) as gateway:
        before = gateway.descriptors()
        traffic = Traffic(gateway.port, clients=64, leaving=0.05)
        traffic.run(100_000)
        early = gateway.resident()
        traffic.run(900_000)
        late = gateway.resident()
        traffic.close()
        print(f"    resident: {early / MIB:.1f} MiB after 100 000 requests, {late / MIB:.1f} MiB after"
              f" {traffic.answered + traffic.left}")
        check(traffic.answered + traffic.left >= 1_000_000 and not traffic.failed and not traffic.mixed,
              "each of a million requests was answered or abandoned")
        check(late <= 1.05 * early, "memory grew by at most 5 %")
        check(late <= 40 * MIB, "and is at most 40 MiB")
        # The pool keeps up to 64 upstream connections for 30 s.
        check(wait_until(lambda: gateway.descriptors() <= before + 64, 5), "the descriptors of clients are closed")
        check(wait_until(lambda: gateway.descriptors() <= before, 45), "and later those of upstreams")
