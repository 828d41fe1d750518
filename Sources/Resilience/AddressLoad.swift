/// The load of an address, by which one of two is chosen.
public struct AddressLoad: Sendable, Hashable {
    public var callsInFlight: Int
    /// The share of its load that it takes, more than 0 and at most 1 (`AddressHealth.ramp`).
    public var ramp: Double

    public init(callsInFlight: Int, ramp: Double) {
        self.callsInFlight = callsInFlight
        self.ramp = ramp
    }

    /// Whether it is smaller than the load of the address that was drawn first: fewer calls in flight, divided by the ramp.
    ///
    /// Equal loads, such as none, say nothing. Then an address in its ramp is taken as often as the ramp says.
    ///
    /// - Parameter random: a number from 0 up to but not including 1. Used only for an address in its ramp.
    @inlinable
    public func isLess(than first: AddressLoad, random: @autoclosure () -> Double) -> Bool {
        let (mine, its) = (Double(callsInFlight) * first.ramp, Double(first.callsInFlight) * ramp)
        if mine != its { return mine < its }
        return first.ramp < ramp && random() * ramp >= first.ramp
    }
}
