"""Nobody gets another's bytes: unique ids through an echo whose connections end at random, a third of the clients gone
half-way."""

from harness import Gateway, Upstream, check
from traffic import Traffic

REQUESTS = 1_000_000


def prove():
    with Upstream("echo") as upstream, Gateway(upstream, loops=2) as gateway:
        traffic = Traffic(gateway.port, clients=64, leaving=0.48, echo=True)
        traffic.run(REQUESTS)
        ended = traffic.answered + traffic.failed + traffic.left
        print(f"    {ended} requests: {traffic.answered} answered, {traffic.left} left half-way, {traffic.failed} failed,"
              f" {len(traffic.mixed)} mixed up")
        for line in traffic.mixed[:5]:
            print(f"    {line}")
        check(ended >= REQUESTS, f"{REQUESTS} requests came to an end")
        check(traffic.left >= 1 / 3 * ended, "a third of them was left half-way")
        check(not traffic.mixed, "nobody got a byte that was another's, and nobody no answer")
        check(traffic.failed < 0.001 * ended, "fewer than one in a thousand failed for the connections that ended")
        traffic.close()
