/// Whether one of an upstream's addresses is in service. It leaves service in two ways:
///
///     ejected     enough attempts failed one after another; returns when its time is over
///     unhealthy   enough checks failed one after another; returns when enough have passed
///
/// After its return it takes its load gradually (`ramp`). Times are nanoseconds of a monotonic clock.
public struct AddressHealth: Sendable {
    /// A change of an address, for logs and metrics.
    public enum Change: Sendable, Hashable {
        /// The last `failures` attempts failed: out of service for `duration` nanoseconds.
        case ejected(failures: Int, duration: Int64)
        /// The first attempt after an ejection succeeded, `absence` nanoseconds after the ejection.
        case returned(absence: Int64)
        /// The last `checks` checks failed.
        case becameUnhealthy(checks: Int)
        /// Enough checks passed again.
        case becameHealthy
        /// The upstream no longer has the policy that kept the address out of service.
        case released
    }

    /// The share of its load that an address takes at first.
    private static let firstRamp = 0.1
    /// The part of its calls that an address gets while it fails and may not leave service.
    public static let failingShare = 0.05

    private var failures = 0
    /// Whether it failed often enough to be ejected, but too many others are out of service.
    public private(set) var isFailing = false
    private var ejections = 0
    private var ejectedAt: Int64 = 0
    private var ejectedUntil = Int64.min
    /// Whether no attempt has succeeded since the ejection.
    public private(set) var isOnTrial = false
    private var isUnhealthy = false
    /// How many of the last checks, one after another, would change `isUnhealthy`.
    private var contraryChecks = 0
    /// When the address was added or returned; far in the past for the upstream's first addresses.
    public private(set) var serviceStart: Int64

    /// - Parameter addedAt: nil for the addresses that an upstream has from the beginning. They need no ramp.
    public init(addedAt: Int64? = nil) {
        serviceStart = addedAt ?? .min
    }

    /// The time until which the address is out of service; `Int64.max` while its checks fail.
    public var outUntil: Int64 { isUnhealthy ? .max : ejectedUntil }

    /// Whether a success would change anything.
    public var awaitsSuccess: Bool { failures > 0 || isOnTrial }

    /// - Parameter mayEject: whether enough other addresses are in service.
    public mutating func attemptFailed(_ policy: EjectionPolicy, mayEject: Bool, at now: Int64) -> Change? {
        // The end of an attempt that was in flight when the address left service.
        guard outUntil <= now else { return nil }
        failures += 1
        isFailing = failures >= (isOnTrial ? 1 : policy.consecutive)
        guard isFailing, mayEject else { return nil }
        isFailing = false
        let base = policy.base.wholeNanoseconds
        // Time in service makes up for earlier ejections.
        if ejections > 0 { ejections = max(0, ejections - Int((now - serviceStart) / base)) }
        ejections += 1
        let (longest, isTooLong) = base.multipliedReportingOverflow(by: Int64(ejections))
        let duration = isTooLong ? policy.max.wholeNanoseconds : min(longest, policy.max.wholeNanoseconds)
        // The absence counts from the first of several ejections without a success between them.
        if !isOnTrial { ejectedAt = now }
        isOnTrial = true
        ejectedUntil = now + duration
        serviceStart = ejectedUntil
        defer { failures = 0 }
        return .ejected(failures: failures, duration: duration)
    }

    /// - Parameter isProbe: whether the attempt was to find out whether the upstream works again. Then it
    ///   ends an ejection.
    public mutating func attemptSucceeded(isProbe: Bool = false, at now: Int64) -> Change? {
        if isProbe, ejectedUntil > now {
            ejectedUntil = now
            serviceStart = now
        }
        guard outUntil <= now else { return nil }
        failures = 0
        isFailing = false
        guard isOnTrial else { return nil }
        isOnTrial = false
        return .returned(absence: now - ejectedAt)
    }

    /// Counts the result of a check. Returns the change that it causes; nil if the address stays as it is.
    public mutating func checkEnded(passed: Bool, _ policy: HealthCheckPolicy, at now: Int64) -> Change? {
        guard passed == isUnhealthy else {
            contraryChecks = 0
            return nil
        }
        contraryChecks += 1
        guard contraryChecks >= (passed ? policy.healthy : policy.unhealthy) else { return nil }
        defer { contraryChecks = 0 }
        isUnhealthy = !passed
        guard passed else { return .becameUnhealthy(checks: contraryChecks) }
        serviceStart = max(serviceStart, now)
        return .becameHealthy
    }

    /// Forgets what the upstream no longer has a policy for: without checks no address is unhealthy, and
    /// without ejection none is ejected or on trial.
    public mutating func follow(hasChecks: Bool, hasEjection: Bool, at now: Int64) -> Change? {
        let wasOut = outUntil > now
        if !hasChecks {
            isUnhealthy = false
            contraryChecks = 0
        }
        if !hasEjection {
            failures = 0
            isFailing = false
            ejections = 0
            isOnTrial = false
            ejectedUntil = .min
        }
        guard wasOut, outUntil <= now else { return nil }
        serviceStart = now
        return .released
    }

    /// The share of its load that an address takes: grows from 0.1 to 1 during `slowStart`.
    ///
    /// - Parameters:
    ///   - start: `serviceStart`.
    ///   - slowStart: nanoseconds; 0 for the whole load at once.
    public static func ramp(at now: Int64, since start: Int64, slowStart: Int64) -> Double {
        guard start > now - slowStart else { return 1 }
        return max(firstRamp, Double(now - start) / Double(slowStart))
    }
}
