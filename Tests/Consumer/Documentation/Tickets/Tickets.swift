import Sluice

@MainActor
enum Tickets {
    private static var last = 0

    static func open(from first: Int) { last = first - 1 }

    static func next() -> Int {
        last += 1
        return last
    }
}

func declareTickets(on gateway: Gateway) {
    gateway.onStart { await Tickets.open(from: 100) }
    gateway.post("/tickets") { _ async throws -> Answer in
        .json(await Tickets.next()).status(.created)
    }
    gateway.post("/tickets/pair") { _ in
        let ticket = Single.just(1).observe(on: MainScheduler.instance).map { _ in
            MainActor.assumeIsolated { Tickets.next() }
        }
        return .parts(mine: ticket, yours: ticket)
    }
}
