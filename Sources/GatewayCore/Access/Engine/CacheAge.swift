import HTTPModel

/// How long a response may be used (RFC 9111 5.2.2.1).
enum CacheAge {
    /// Returns the seconds of `max-age`; nil without one, and for a response that must not be kept.
    static func seconds(_ fields: HTTPFields) -> Int? {
        var age: Int?
        for value in fields.values(of: .cacheControl) {
            for directive in value.split(separator: ",") {
                let parts = directive.split(separator: "=", maxSplits: 1).map { part in
                    part.trimmingCharacters(of: " \t\"").lowercased()
                }
                switch parts.first {
                case "no-store", "no-cache": return nil
                case "max-age": age = age ?? (parts.count == 2 ? Int(parts[1]) : nil)
                default: break
                }
            }
        }
        return age
    }
}

extension Substring {
    fileprivate func trimmingCharacters(of set: String) -> Substring {
        var text = self
        while let first = text.first, set.contains(first) { text.removeFirst() }
        while let last = text.last, set.contains(last) { text.removeLast() }
        return text
    }
}
