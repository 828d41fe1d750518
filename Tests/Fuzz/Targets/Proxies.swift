import HTTPModel

// sources: Sources/HTTPOutbound/Proxy/ProxyConfiguration.swift Sources/HTTPOutbound/Proxy/NoProxy.swift

// What a process's variables say of proxies. Whatever they say: no trap; a proxy that is taken has a host and a port and
// shows no password; the exceptions for all hold for any host, and an exception for a host holds for it. The text has a line
// for each of: a proxy's URL, exceptions, a host.

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
    guard let proxy = try? ProxyConfiguration(url) else { return }
    guard !proxy.host.isEmpty, proxy.port > 0 else { fatalError("a proxy that is nowhere: \(proxy)") }
    guard !proxy.description.contains("@") else { fatalError("a user is shown: \(proxy)") }
    // Written out and read again it is the same place.
    guard let again = try? ProxyConfiguration(proxy.description) else {
        fatalError("not read again: \(proxy)")
    }
    guard again.host == proxy.host, again.port == proxy.port else { fatalError("\(again) is not \(proxy)") }
}

private func checkExceptions(_ text: String, host: String) {
    guard let exceptions = try? NoProxy(text) else { return }
    let isExcepted = exceptions.contains(host: host, port: 80)
    guard let more = try? NoProxy(text + ",*") else { fatalError("'\(text)' is taken, but with * it is not") }
    guard more.contains(host: host, port: 80) else { fatalError("* is not for '\(host)'") }
    guard let spaced = try? NoProxy(" ,\(text)\t"), spaced.contains(host: host, port: 80) == isExcepted else {
        fatalError("blanks around '\(text)' change it")
    }
    guard let own = try? NoProxy(host) else { return }
    // A list of hosts is one, too; a port makes the exception its own.
    guard !host.contains(where: { ", \t:*/[".contains($0) }), !host.isEmpty else { return }
    guard own.contains(host: host, port: 80) else { fatalError("'\(host)' is no exception for itself") }
}
