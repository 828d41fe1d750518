/// The load of an address, by which one of two is chosen.
public struct AddressLoad: Sendable, Hashable {
    /// Calls that were sent to the address and have not ended.
    public var callsInFlight: Int
    /// The share of its load that it takes, more than 0 and at most 1 (`AddressHealth.ramp`).
    public var ramp: Double

    /// Creates the load of an address.
    public init(callsInFlight: Int, ramp: Double) {
        self.callsInFlight = callsInFlight
        self.ramp = ramp
    }

    /// Whether it is chosen instead of the address that was drawn first.
    ///
    /// An address with a smaller ramp takes part only as often as the two ramps' ratio says. If both take
    /// part, the one with fewer calls in flight is chosen. (Dividing the calls by the ramp would have no
    /// effect while none is in flight.)
    ///
    /// - Parameter random: a number from 0 up to but not including 1. Used only if the ramps differ.
    @inlinable
    public func isPreferred(to first: AddressLoad, random: @autoclosure () -> Double) -> Bool {
        if ramp != first.ramp, random() * max(ramp, first.ramp) >= min(ramp, first.ramp) {
            return ramp > first.ramp
        }
        return callsInFlight < first.callsInFlight
    }
}
