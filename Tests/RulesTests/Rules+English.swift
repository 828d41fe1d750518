import Foundation

/// A phrase that stops readers, and how often comments, messages and documents may still contain it.
struct Phrase {
    let name: String
    /// A regular expression. Case does not count, and a space is any white space.
    let pattern: String
    let better: String
    let caps: [Passage.Kind: Int]

    /// Returns the lines of the passages on which the phrase begins.
    func places(in passages: [Passage]) -> [(kind: Passage.Kind, place: String)] {
        let pattern = pattern.replacing(" ", with: "\\s+")
        guard let expression = try? NSRegularExpression(pattern: pattern, options: .caseInsensitive) else {
            return passages.map { ($0.kind, "\(name) is not a regular expression") }
        }
        return passages.flatMap { passage in
            let text = passage.text
            let all = NSRange(text.startIndex..., in: text)
            return expression.matches(in: text, range: all).map { match in
                let start = Range(match.range, in: text)?.lowerBound ?? text.startIndex
                let line = passage.line + text[..<start].count { $0 == "\n" }
                return (passage.kind, "\(passage.path):\(line)")
            }
        }
    }
}

extension Rules {
    /// The caps may only fall.
    static let phrases = [
        Phrase(
            name: "is none", pattern: #"\b(is|are|was|were|be) none\b"#,
            better: #"say what it must be, or is not"#, caps: [.comment: 1]),
        Phrase(
            name: "is no X", pattern: #"\b(is|are|was|were) no [a-z]+\b"#,
            better: #"say "is not a", "must be a" or "has no""#,
            caps: [.comment: 2, .document: 4, .message: 15]),
        Phrase(
            name: "what becomes of", pattern: #"\bwhat becomes of\b"#,
            better: #"name what happens"#, caps: [:]),
        Phrase(
            name: "what is what", pattern: #"\bwhat is what\b"#,
            better: #"name the things"#, caps: [:]),
        Phrase(
            name: "those of", pattern: #"\b(those|that) of\b"#,
            better: #"repeat the noun"#, caps: [.document: 4, .message: 1]),
        Phrase(
            name: "of those", pattern: #"\bof those\b"#,
            better: #"repeat the noun"#, caps: [.document: 1]),
        Phrase(
            name: "anew", pattern: #"\banew\b"#,
            better: #"say "again""#, caps: [:]),
        Phrase(
            name: "in place of", pattern: #"\bin place of\b"#,
            better: #"say "instead of""#, caps: [.message: 1]),
        Phrase(
            name: "; it", pattern: #"; (it|they|this|that) "#,
            better: #"begin a sentence, and repeat the noun"#,
            caps: [.comment: 1, .document: 3, .message: 15]),
        Phrase(
            name: "no X and Y", pattern: #"\bno \w+ and (no )?\w+"#,
            better: #"say "or" after "no""#, caps: [.comment: 4, .message: 2]),
        Phrase(
            name: "further ones", pattern: #"\bfurther ones?\b"#,
            better: #"say "additional" or "others", and name them"#, caps: [.document: 1, .message: 1]),
        Phrase(
            name: "the one of", pattern: #"\bthe ones? of\b"#,
            better: #"repeat the noun"#, caps: [:]),
        Phrase(
            name: "belong into", pattern: #"\bbelongs? into\b"#,
            better: #"say "belong in""#, caps: [:]),
        Phrase(
            name: "what is no", pattern: #"\bwhat (is|are) (no|not)\b"#,
            better: #"name the thing"#, caps: [.comment: 2, .document: 2]),
        Phrase(
            name: "one that is", pattern: #"\b(one|ones) that (is|are)\b"#,
            better: #"use an adjective"#, caps: [.comment: 3, .document: 2]),
        Phrase(
            name: "superfluous", pattern: #"\bsuperfluous\b"#,
            better: #"say "unnecessary""#, caps: [:]),
    ]

    /// Complains about each phrase that a kind of text contains more or less often than its cap.
    static func phraseComplaints(_ passages: [Passage], _ phrases: [Phrase] = phrases) -> [String] {
        phrases.flatMap { phrase in
            let places = Dictionary(grouping: phrase.places(in: passages), by: \.kind)
            return Passage.Kind.allCases.compactMap { kind -> String? in
                let found = (places[kind] ?? []).map(\.place)
                let cap = phrase.caps[kind] ?? 0
                if found.count < cap {
                    return "lower the cap of \"\(phrase.name)\" in \(kind)s to \(found.count)"
                }
                guard found.count > cap else { return nil }
                return "\"\(phrase.name)\" is in \(found.count) places of \(kind)s, at most \(cap): "
                    + "\(phrase.better): \(found.joined(separator: ", "))"
            }
        }
    }

    /// Modules whose comments are wider than the code.
    static let wideModules: Set<String> = []

    /// Complains about lines of comments with more than 110 columns. The formatter keeps only code to them.
    static func widthComplaints(_ file: SourceFile, except wide: Set<String> = wideModules) -> [String] {
        guard !wide.contains(file.module) else { return [] }
        return file.lines.enumerated().compactMap { index, line -> String? in
            guard line.utf8.count > 110, line.contains(/^\s*\/\//), line.count > 110 else { return nil }
            return "\(file.path):\(index + 1): the comment has \(line.count) columns, at most 110"
        }
    }
}
