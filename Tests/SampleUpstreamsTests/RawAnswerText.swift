import Sluice

/// An answer in raw bytes, split only at the blank line.
struct RawAnswerText {
    let status: Int?
    let head: String
    let body: [UInt8]

    init(_ bytes: [UInt8]) {
        let text = String(decoding: bytes, as: UTF8.self)
        let parts = text.split(separator: "\r\n\r\n", maxSplits: 1, omittingEmptySubsequences: false)
        head = String(parts[0])
        body = parts.count > 1 ? Array(parts[1].utf8) : []
        let words = head.split(separator: " ")
        status = words.count > 1 && words[0] == "HTTP/1.1" ? Int(words[1]) : nil
    }

    func field(_ name: String) -> String? {
        for line in head.split(separator: "\r\n") where line.lowercased().hasPrefix(name.lowercased() + ": ")
        {
            return String(line.dropFirst(name.count + 2))
        }
        return nil
    }

    var json: JSONFragment? { try? JSONFragment(validating: body[...]) }
    var text: String { String(decoding: body, as: UTF8.self) }
}
