import ASCIIText
import CPCRE2
import Locking

/// A pattern of JSON Schema: a regular expression of ECMA-262 with the flag `u`, found anywhere in a text.
final class ECMAPattern: Sendable {
    enum Outcome { case matches, differs, exceedsLimits }

    /// The pattern as it was written.
    let text: String
    private let simple: SimplePattern?
    // An address, because a pointer is not Sendable. PCRE2 only reads the code while it matches, on any
    // number of threads. 0 for simple patterns.
    private let code: UInt
    /// Whether it can match only at the start of a text.
    private let isAnchored: Bool

    /// The longest text that is matched, in bytes.
    static let longestText = 64 * 1024
    // Bound a search to about 1 ms. PCRE2 counts the steps from each start of a match again, so that the
    // number of starts matters, too.
    private static let steps: UInt32 = 20_000
    private static let depth: UInt32 = 5_000
    private static let kibibytes: UInt32 = 1024
    /// The most steps of a window, and starts times bytes of the text.
    private static let stepsOfWindow = 80_000
    private static let bytesOfWindow = 1 << 18
    /// The most steps of the first attempt. Nearly all matches take fewer.
    private static let stepsOfAttempt = 8192

    init(_ text: String) throws(ECMAPatternParser.Failure) {
        self.text = text
        let node = try ECMAPatternParser.parse(text)
        simple = SimplePattern(node)
        guard simple == nil else {
            code = 0
            isAnchored = false
            return
        }
        let options =
            UInt32(PCRE2_DOLLAR_ENDONLY) | UInt32(PCRE2_UTF) | UInt32(PCRE2_MATCH_UNSET_BACKREF)
            | UInt32(PCRE2_NEVER_BACKSLASH_C) | UInt32(PCRE2_USE_OFFSET_LIMIT) | UInt32(PCRE2_NO_UTF_CHECK)
        var fault: Int32 = 0
        var offset = 0
        var rewritten = node.text
        let compiled = rewritten.withUTF8 { pattern in
            pcre2_compile_8(pattern.baseAddress, pattern.count, options, &fault, &offset, nil)
        }
        guard let compiled else {
            throw ECMAPatternParser.Failure(message: Self.message(of: fault), character: 1, pattern: text)
        }
        var known: UInt32 = 0
        pcre2_pattern_info_8(compiled, UInt32(PCRE2_INFO_ALLOPTIONS), &known)
        isAnchored = known & UInt32(PCRE2_ANCHORED) != 0
        code = UInt(bitPattern: compiled)
    }

    deinit {
        if code != 0 { pcre2_code_free_8(OpaquePointer(bitPattern: code)) }
    }

    /// Whether it needs neither PCRE2 nor a bound.
    var isSimple: Bool { simple != nil }

    private static func message(of fault: Int32) -> String {
        // PCRE2 has no name for these numbers.
        if fault == 147 { return "Unicode has no such property" }
        var text = [UInt8](repeating: 0, count: 256)
        let length = pcre2_get_error_message_8(fault, &text, text.count)
        return String(decoding: text.prefix(max(0, Int(length))), as: UTF8.self)
    }

    /// Looks for the pattern in valid UTF-8. Makes the memory if it is needed for the first time.
    func match(
        _ text: UnsafeRawBufferPointer, _ kept: inout PatternMemory?, _ budget: inout PatternBudget
    ) -> Outcome {
        guard text.count <= Self.longestText else { return .exceedsLimits }
        if let simple { return simple.matches(text) ? .matches : .differs }
        guard !budget.isSpent else { return .exceedsLimits }
        let memory = kept ?? PatternMemory()
        kept = memory
        let starts = isAnchored ? 1 : text.count + 1
        if starts * text.count <= Self.bytesOfWindow || isAnchored {
            let limit = UInt32(max(64, Self.stepsOfAttempt / starts))
            let began = budget.beginAttempt()
            let result = search(text, memory, from: 0, starts: starts, steps: limit)
            budget.endAttempt(began)
            if let result { return result }
        }
        return searchInWindows(text, memory, &budget)
    }

    /// Searches with a look at the clock after each window of starts. A window whose steps are exceeded is
    /// searched again in smaller ones, with more steps for each start.
    private func searchInWindows(
        _ text: UnsafeRawBufferPointer, _ memory: PatternMemory, _ budget: inout PatternBudget
    ) -> Outcome {
        let widest = isAnchored ? 1 : max(1, min(1024, Self.bytesOfWindow / max(text.count, 1)))
        var width = widest
        var start = 0
        while start <= text.count {
            guard !budget.isSpent else { return .exceedsLimits }
            let steps = min(Self.steps, UInt32(Self.stepsOfWindow / width))
            let began = budget.beginWindow()
            let result = search(text, memory, from: start, starts: width, steps: steps)
            budget.endWindow(began)
            switch result {
            case .matches?: return .matches
            case .differs?:
                if isAnchored { return .differs }
                start += width
                while start < text.count, text[start] & 0xC0 == 0x80 { start += 1 }
                width = min(width * 2, widest)
            case .exceedsLimits?: return .exceedsLimits
            case nil:
                guard steps < Self.steps else { return .exceedsLimits }
                width = max(1, width / 8)
            }
        }
        return .differs
    }

    /// Searches from some starts on. Returns nil if the steps do not suffice.
    private func search(
        _ text: UnsafeRawBufferPointer, _ memory: PatternMemory, from start: Int, starts: Int, steps: UInt32
    ) -> Outcome? {
        let context = memory.context
        pcre2_set_match_limit_8(context, steps)
        pcre2_set_depth_limit_8(context, Self.depth)
        pcre2_set_heap_limit_8(context, Self.kibibytes)
        pcre2_set_offset_limit_8(context, min(start + starts - 1, text.count))
        // An empty buffer may have no address.
        let result = withUnsafePointer(to: UInt8(0)) { spare in
            let base = text.baseAddress?.assumingMemoryBound(to: UInt8.self) ?? spare
            return pcre2_match_8(
                OpaquePointer(bitPattern: code), base, text.count, start, UInt32(PCRE2_NO_UTF_CHECK),
                memory.match, context)
        }
        if result >= 0 { return .matches }
        switch result {
        case PCRE2_ERROR_NOMATCH: return .differs
        case PCRE2_ERROR_MATCHLIMIT: return nil
        default: return .exceedsLimits
        }
    }
}

/// What PCRE2 needs to match, for one check at a time.
final class PatternMemory: Sendable {
    // Addresses, because a pointer is not Sendable. Only the check that holds this object uses them.
    private let matchAddress: UInt
    private let contextAddress: UInt

    init() {
        matchAddress = UInt(bitPattern: pcre2_match_data_create_8(1, nil))
        contextAddress = UInt(bitPattern: pcre2_match_context_create_8(nil))
    }

    deinit {
        pcre2_match_data_free_8(match)
        pcre2_match_context_free_8(context)
    }

    fileprivate var match: OpaquePointer? { OpaquePointer(bitPattern: matchAddress) }
    fileprivate var context: OpaquePointer? { OpaquePointer(bitPattern: contextAddress) }
}

/// The processor time that the patterns of a check may still take.
///
/// Attempts have few steps, so that only those after the first 64 are measured, by a clock that costs no
/// system call. It runs on while the thread waits, so that an attempt counts at most the time of its steps.
/// Windows are measured by the clock of the thread.
struct PatternBudget {
    private var left: Duration
    private var attempts = 0
    /// The number of windows: the work that patterns took, for tests.
    private(set) var windows = 0

    private static let freeAttempts = 64
    private static let longestAttempt = Duration.microseconds(200)
    /// What measuring an attempt takes, and looking at its name or text.
    private static let timeOfClock = Duration.nanoseconds(300)

    init(_ time: Duration) { left = time }

    var isSpent: Bool { left <= .zero }

    /// Returns when an attempt begins; nil if it is not measured.
    fileprivate mutating func beginAttempt() -> ContinuousClock.Instant? {
        attempts &+= 1
        return attempts > Self.freeAttempts ? ContinuousClock.now : nil
    }

    fileprivate mutating func endAttempt(_ began: ContinuousClock.Instant?) {
        guard let began else { return }
        left -= min(ContinuousClock.now - began, Self.longestAttempt) + Self.timeOfClock
    }

    fileprivate mutating func beginWindow() -> Duration {
        windows &+= 1
        return ThreadClock.now
    }

    fileprivate mutating func endWindow(_ began: Duration) { left -= ThreadClock.now - began }
}
