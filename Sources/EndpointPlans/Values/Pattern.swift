import CPCRE2

/// A regular expression of PCRE2, compiled once and matched with the whole of a text.
///
/// Its syntax is Perl's. What JSON Schema (ECMA-262) and I-Regexp (RFC 9485) have in common with it means the
/// same here: `\d` and `\w` are ASCII, `\u00e9` is a character.
package final class Pattern: Sendable {
    /// The pattern as it was written.
    package let text: String
    /// Whether no message shows the text.
    package let isHidden: Bool
    // Addresses, because a pointer is not Sendable. PCRE2 only reads both while it matches, on any number of
    // threads.
    private let code: UInt
    private let context: UInt

    /// Why a text is not a pattern.
    package struct ParseError: Error, Sendable, Equatable, CustomStringConvertible {
        package let description: String
    }

    package enum Outcome: Equatable { case matches, differs, exceedsLimits }

    /// What a client is told of a value that was not compared to the end, phrased to follow the value.
    package var refusal: String { "could not be compared with \(name) within the limits" }

    /// What messages call it.
    package var name: String { isHidden ? "its pattern" : "the pattern \(text)" }

    // Bound a match to about 1 ms: of nested repetitions, 20 000 steps take up to 0.8 ms, and 5000 levels up
    // to 0.6 ms. The interpreter has these limits for all patterns. Compiled to machine code, a match of a
    // UUID takes 0.07 us instead of 0.13 us, but the steps are counted differently, and the process needs
    // memory that is both writable and executable.
    private static let steps: UInt32 = 20_000
    private static let depth: UInt32 = 5_000
    private static let kibibytes: UInt32 = 1024
    /// The longest text that is matched, in bytes.
    private static let longestText = 64 * 1024

    /// - Parameters:
    ///   - text: the regular expression.
    ///   - isHidden: whether no message shows it.
    package init(_ text: String, isHidden: Bool = false) throws(ParseError) {
        self.text = text
        self.isHidden = isHidden
        let options =
            UInt32(PCRE2_ANCHORED) | UInt32(PCRE2_ENDANCHORED) | UInt32(PCRE2_DOLLAR_ENDONLY)
            | UInt32(PCRE2_UTF) | UInt32(PCRE2_ALT_BSUX) | UInt32(PCRE2_NEVER_BACKSLASH_C)
        var fault: Int32 = 0
        var offset = 0
        var copy = text
        let compiled = copy.withUTF8 { pattern in
            pcre2_compile_8(pattern.baseAddress, pattern.count, options, &fault, &offset, nil)
        }
        guard let compiled else {
            throw ParseError(description: "\(Self.message(of: fault)) at byte \(offset)")
        }
        guard let context = pcre2_match_context_create_8(nil) else {
            pcre2_code_free_8(compiled)
            throw ParseError(description: "no memory is left")
        }
        pcre2_set_match_limit_8(context, Self.steps)
        pcre2_set_depth_limit_8(context, Self.depth)
        pcre2_set_heap_limit_8(context, Self.kibibytes)
        code = UInt(bitPattern: compiled)
        self.context = UInt(bitPattern: context)
    }

    deinit {
        pcre2_match_context_free_8(OpaquePointer(bitPattern: context))
        pcre2_code_free_8(OpaquePointer(bitPattern: code))
    }

    /// Matches the pattern with the whole text.
    package func match(_ text: String) -> Outcome {
        guard text.utf8.count <= Self.longestText, let match = pcre2_match_data_create_8(1, nil) else {
            return .exceedsLimits
        }
        defer { pcre2_match_data_free_8(match) }
        var text = text
        // A Swift string is valid UTF-8.
        let result = text.withUTF8 { subject in
            pcre2_match_8(
                OpaquePointer(bitPattern: code), subject.baseAddress, subject.count, 0,
                UInt32(PCRE2_NO_UTF_CHECK), match, OpaquePointer(bitPattern: context))
        }
        if result >= 0 { return .matches }
        return result == PCRE2_ERROR_NOMATCH ? .differs : .exceedsLimits
    }

    private static func message(of fault: Int32) -> String {
        var text = [UInt8](repeating: 0, count: 256)
        let length = pcre2_get_error_message_8(fault, &text, text.count)
        return String(decoding: text.prefix(max(0, Int(length))), as: UTF8.self)
    }
}
