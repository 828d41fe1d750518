extension HTTPFields {
    /// Removes what belongs to one connection only (RFC 9110 7.6.1): the fields that `Connection` names, then the
    /// fixed list. Called on what came in, before anything of ours is added, so that a peer can remove only its own.
    public mutating func removeHopByHop() {
        guard contains(.connection) else { return removeFixed() }
        let before = self
        before.withEachField { name, value in
            guard ASCII.equals(name, lowercase: "connection") else { return }
            forEachListElement(in: value) { option in
                // What is on the fixed list goes anyway, and the two usual options name no field.
                if HopByHop.contains(option) || ASCII.equals(option, lowercase: "close") { return }
                remove(named: option)
            }
        }
        removeFixed()
    }

    private mutating func removeFixed() {
        remove(where: HopByHop.contains)
    }
}

/// The fields that never pass a gateway.
enum HopByHop {
    static func contains(_ name: UnsafeRawBufferPointer) -> Bool {
        switch name.count {
        case 2: ASCII.equals(name, lowercase: "te")
        case 7: ASCII.equals(name, lowercase: "trailer") || ASCII.equals(name, lowercase: "upgrade")
        case 10: ASCII.equals(name, lowercase: "connection") || ASCII.equals(name, lowercase: "keep-alive")
        case 14: ASCII.equals(name, lowercase: "http2-settings")
        case 16: ASCII.equals(name, lowercase: "proxy-connection")
        case 17: ASCII.equals(name, lowercase: "transfer-encoding")
        default: false
        }
    }
}

/// Calls `body` with each element of a comma-separated list that is not empty, blanks trimmed.
package func forEachListElement(
    in value: UnsafeRawBufferPointer, _ body: (UnsafeRawBufferPointer) -> Void
) {
    var start = 0
    while start <= value.count {
        var end = start
        while end < value.count, value[end] != 0x2c { end += 1 }
        let element = ASCII.trimmed(UnsafeRawBufferPointer(rebasing: value[start..<end]))
        if !element.isEmpty { body(element) }
        start = end + 1
    }
}
