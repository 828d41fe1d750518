import Foundation
import TestSupport
import Testing

/// What carries the requests of a test.
enum Carrier: String, Sendable {
    case plain, tls

    /// The carrier of the running test.
    @TaskLocal static var current = Carrier.plain
}

/// Runs each test of a suite on plain connections and, at the same time, over TLS. So a test that waits does
/// not take twice as long. `SLUICE_CARRIER=tls` or `plain` runs them on one only, to see which one fails.
struct BothCarriers: SuiteTrait, TestTrait, TestScoping {
    var isRecursive: Bool { true }

    private static let chosen = ProcessInfo.processInfo.environment["SLUICE_CARRIER"].flatMap {
        Carrier(rawValue: $0)
    }

    func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
    ) async throws {
        guard testCase != nil else { return try await function() }
        if let chosen = Self.chosen {
            return try await Carrier.$current.withValue(chosen) { try await function() }
        }
        async let plain: Void = Carrier.$current.withValue(.plain) { try await function() }
        async let secure: Void = Carrier.$current.withValue(.tls) { try await function() }
        _ = try await (plain, secure)
    }
}

/// Runs a test of such a suite on plain connections only.
struct PlainOnly: TestTrait, TestScoping {
    func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
    ) async throws {
        if Carrier.current == .plain { try await function() }
    }
}

extension Trait where Self == BothCarriers {
    /// On plain connections and over TLS.
    static var bothCarriers: BothCarriers { BothCarriers() }
}

extension Trait where Self == PlainOnly {
    /// On plain connections only.
    ///
    /// - Parameter reason: why it cannot run over TLS.
    static func plainOnly(_ reason: Comment) -> PlainOnly { PlainOnly() }
}
