/// The calls that wait for a connection of one pool, in the order of arrival. Relays are kept apart, so that
/// other calls can overtake them in constant time.
struct CallQueue<Waiter> {
    /// Identifies a call in the queue; invalid once the call was served or has left.
    struct Ticket: Hashable {
        fileprivate let place: WaitQueue<Arrived>.Ticket
        fileprivate let isRelay: Bool
    }

    fileprivate struct Arrived {
        let waiter: Waiter
        /// Counts all arrivals, of relays and others.
        let number: Int
    }

    private var relays = WaitQueue<Arrived>()
    private var others = WaitQueue<Arrived>()
    private var arrivals = 0

    var count: Int { relays.count + others.count }

    /// Whether a call may be served: any but a relay, and with `mayRelay` any.
    func hasNext(mayRelay: Bool) -> Bool {
        others.count > 0 || mayRelay && relays.count > 0
    }

    mutating func append(_ waiter: Waiter, isRelay: Bool) -> Ticket {
        arrivals += 1
        let arrived = Arrived(waiter: waiter, number: arrivals)
        let place = isRelay ? relays.append(arrived) : others.append(arrived)
        return Ticket(place: place, isRelay: isRelay)
    }

    /// Returns the call that has waited longest. If `mayRelay` is false, relays are skipped.
    mutating func popFirst(mayRelay: Bool) -> (waiter: Waiter, isRelay: Bool)? {
        guard hasNext(mayRelay: mayRelay) else { return nil }
        return popNext(mayRelay: mayRelay)
    }

    @inline(never)
    private mutating func popNext(mayRelay: Bool) -> (waiter: Waiter, isRelay: Bool)? {
        let relay = mayRelay ? relays.firstElement?.number ?? .max : .max
        let other = others.firstElement?.number ?? .max
        let next = relay < other ? relays.popFirst() : others.popFirst()
        return next.map { ($0.waiter, relay < other) }
    }

    /// Returns false if the call was served or has left before.
    @discardableResult
    mutating func remove(_ ticket: Ticket) -> Bool {
        ticket.isRelay ? relays.remove(ticket.place) : others.remove(ticket.place)
    }
}
