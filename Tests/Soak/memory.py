"""Memory and descriptors are at the end of a million requests what they were at the beginning, one loop."""

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
              "each of a million requests was answered or left")
        check(late <= 1.05 * early, "memory grew by 5 % at most")
        check(late <= 40 * MIB, "and is 40 MiB at most")
        # Connections to upstreams stay in the pool, at most 64, for 30 s.
        check(wait_until(lambda: gateway.descriptors() <= before + 64, 5), "its clients' descriptors are closed")
        check(wait_until(lambda: gateway.descriptors() <= before, 45), "and then those to its upstreams")
