/// When an address of an upstream that has several is not used for a while, because its attempts fail.
public struct EjectionPolicy: Sendable, Hashable {
    /// How many attempts must fail, one after another, to eject the address. 1 to 1000, default 5. When an
    /// address returns, a single failure ejects it again until an attempt succeeds.
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

    package enum Ranges {
        package static let consecutive = 1...1000
        package static let base = Duration.milliseconds(100)...(.seconds(3600))
        package static let max = Duration.milliseconds(100)...(.seconds(86_400))
    }

    /// One line for each setting out of its range: its name, value and range.
    public var faults: [String] {
        var faults = RangeFaults()
        faults.check("consecutive", consecutive, in: Ranges.consecutive)
        faults.check("base", base, in: Ranges.base)
        faults.check("max", max, from: "base", base, in: Ranges.max)
        faults.check(share: "maxShare", maxShare)
        return faults.list
    }
}
