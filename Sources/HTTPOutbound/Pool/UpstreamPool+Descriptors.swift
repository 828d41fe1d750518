internal import EventIO
internal import Resilience

// Calls for which no connection can be opened, because the process has no descriptor or port left, or this
// upstream has its part of them. They wait for the connections in use, as other calls do, and for
// descriptors: whether there are any is tried from time to time.
extension UpstreamPool {
    private static var descriptorInterval: TimeAmount { .milliseconds(50) }

    /// No descriptor was left for the connection of this call. The connection is closed.
    ///
    /// A connection that nobody needs is closed for the call, if there is one.
    func awaitDescriptor(_ call: OutboundCall, insteadOf connection: Connection) {
        let slot = connection.slot
        connections[slot] = nil
        if slot < places.count { places[slot] = nil }
        let ticket = pool.connectionUnopened(slot, call)
        publish()
        waiters(changedBy: 1)
        call.joinedQueue(of: self, ticket)
        awaitDescriptors()
        if closeSpare() { return }
        if shared.closeIdle?(self) == true { openForWaiter() }
        if pool.isVacant { becameVacant() }
    }

    /// Closes the connection that has been idle for longest. Returns false if none is idle.
    func closeIdleConnection() -> Bool {
        guard let slot = pool.longestIdle else { return false }
        discard(slot)
        return true
    }

    func awaitDescriptors() {
        guard descriptorTimer == nil else { return }
        descriptorTimer = loop.setTimer(after: Self.descriptorInterval, target: self)
    }

    func stopAwaitingDescriptors() {
        if let descriptorTimer { loop.cancelTimer(descriptorTimer) }
        descriptorTimer = nil
    }

    func descriptorsDue() {
        descriptorTimer = nil
        openForWaiter()
        if pool.waiting > 0, pool.hasVacantSlot { awaitDescriptors() }
    }

    /// Opens a connection for the call that has waited longest, if there may be one.
    func openForWaiter() {
        guard pool.waiting > 0, pool.hasVacantSlot else { return }
        var place: FairBudget.Charge?
        if let connectionPlaces {
            place = connectionPlaces.charge(1)
            if place == nil { return }
        }
        guard let (slot, waiter) = pool.mayOpenAgain(now: loop.wakeTime) else { return }
        publish()
        waiters(changedBy: -1)
        take(place, for: slot)
        open(slot, for: waiter)
    }
}
