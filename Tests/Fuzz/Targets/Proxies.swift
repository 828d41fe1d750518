import HTTPModel

// sources: Sources/HTTPOutbound/OutboundProxy/OutboundProxy.swift
// sources: Sources/HTTPOutbound/OutboundProxy/NoProxy.swift

// Proxy settings from environment variables. Nothing may trap. An accepted proxy has a host and a port, and
// its description hides credentials. `*` excepts every host, and each host excepts itself. The lines are a
// proxy URL, exceptions and a host.

/// Runs the target with one input of the fuzzer. Returns 0, as libFuzzer expects.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzProxies(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = UnsafeBufferPointer(start: start, count: count)
    guard let text = String(validating: bytes, as: UTF8.self) else { return 0 }
    let lines = text.split(separator: "\n", maxSplits: 2, omittingEmptySubsequences: false).map(String.init)
    checkProxy(lines[0])
    guard lines.count == 3 else { return 0 }
    checkExceptions(lines[1], host: lines[2])
    return 0
}

private func checkProxy(_ url: String) {
    guard let proxy = try? OutboundProxy(url) else { return }
    guard !proxy.host.isEmpty, proxy.port > 0 else { fatalError("a proxy without host or port: \(proxy)") }
    guard !proxy.description.contains("@") else { fatalError("credentials are visible: \(proxy)") }
    guard let again = try? OutboundProxy(proxy.description) else {
        fatalError("not accepted again: \(proxy)")
    }
    guard again.host == proxy.host, again.port == proxy.port else { fatalError("\(proxy) became \(again)") }
}

private func checkExceptions(_ text: String, host: String) {
    guard let exceptions = try? NoProxy(text) else { return }
    let isExcepted = exceptions.contains(host: host, port: 80)
    guard let more = try? NoProxy(text + ",*") else { fatalError("'\(text)' is refused once * is added") }
    guard more.contains(host: host, port: 80) else { fatalError("* does not except '\(host)'") }
    guard let spaced = try? NoProxy(" ,\(text)\t"), spaced.contains(host: host, port: 80) == isExcepted else {
        fatalError("spaces around '\(text)' change it")
    }
    guard let own = try? NoProxy(host) else { return }
    // Skip lists of hosts, and exceptions for one port only.
    guard !host.contains(where: { ", \t:*/[".contains($0) }), !host.isEmpty else { return }
    guard own.contains(host: host, port: 80) else { fatalError("'\(host)' does not except itself") }
}
