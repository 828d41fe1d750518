/// Answers that are not HTTP, for fault injection. Nothing is framed, added or checked.
extension InboundExchange {
    /// Resets the connection (RST).
    public func abort() {
        claimRaw()
        connection?.abort()
    }

    /// Sends bytes as they are. The exchange stays open until `closeRaw` or `abort`.
    public func writeRaw(_ bytes: ArraySlice<UInt8>) {
        claimRaw()
        connection?.send(bytes, on: self)
    }

    /// Sends what was written and closes the connection (FIN).
    public func closeRaw() {
        claimRaw()
        connection?.closeRaw(on: self)
    }
}
