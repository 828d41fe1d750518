/// When an address of an upstream that has several is not used for a while, because its attempts fail.
public struct EjectionPolicy: Sendable, Hashable {
    /// How many attempts must fail, one after another, to eject the address. 1 to 1000, default 5. After its
    /// return, one failure before the first success ejects it again.
    public var consecutive = 5
    /// How long the first ejection lasts. The next ones last two, three and more times as long. 100 ms to 1
    /// h, default 30 s.
    public var base = Duration.seconds(30)
    /// The longest time that an ejection lasts. From `base` to 1 day, default 5 min.
    public var max = Duration.seconds(300)
    /// The largest part of the addresses that may be out of service after an ejection; one may always be.
    /// More than 0, at most 1. Default 0.5.
    public var maxShare = 0.5

    /// Creates the default policy.
    public init() {}

    /// One line for each setting out of its range: its name, value and range.
    public var faults: [String] {
        var faults: [String] = []
        if !(1...1000).contains(consecutive) {
            faults.append("consecutive: \(consecutive) is not between 1 and 1000")
        }
        if !(Duration.milliseconds(100)...(.seconds(3600))).contains(base) {
            faults.append("base: \(base) is not between 100 ms and 1 h")
        }
        if max < base || max > .seconds(86_400) {
            faults.append("max: \(max) is not between base (\(base)) and 1 day")
        }
        if !(maxShare > 0 && maxShare <= 1) {
            faults.append("maxShare: \(maxShare) is not more than 0 and at most 1")
        }
        return faults
    }
}
