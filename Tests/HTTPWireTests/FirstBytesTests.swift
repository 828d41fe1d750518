import Testing

@testable import HTTPWire

@Suite("What the first bytes of a connection belong to")
struct FirstBytesTests {
    private func kind(_ bytes: [UInt8]) -> FirstBytes { bytes.withUnsafeBytes { FirstBytes($0) } }

    @Test(
        "Other protocols are neither TLS nor HTTP",
        arguments: [
            "SSH-2.0-OpenSSH_9.2p1 Debian-2\r\n", "EHLO mail.example.com\r\n", "HELO a b\n", "\0",
            "1 / HTTP/1.1",
            "-GET / HTTP/1.1", "@", "[", "\r\n\r\n", "*1\r\n$4\r\nPING\r\n", "PING\r\n", " GET / HTTP/1.1",
            "ABCDEFGHIJKLMNOPQRSTUVWXY / HTTP/1.1", "NICK HTTP/1.1 x\r\n",
        ])
    func unknown(text: String) {
        #expect(kind(Array(text.utf8)) == .unknown)
    }

    @Test(
        "A request begins with a method, and may have arrived in part",
        arguments: [
            "GET / HTTP/1.1\r\nHost: x\r\n\r\n", "G", "get /a\r\n", "PRI * HTTP/2.0\r\n\r\n",
            "M-SEARCH * HTTP/1.1\r\n",
            "CONNECT a.example:443 HTTP/1.1\r\n", "GET http://a.example/ HTTP/1.1\n", "GET http://a.exa",
            "PUT ", "PROXY",
            "VERSION-CONTROL /a HTTP/1.1\r\n",
        ])
    func request(text: String) {
        #expect(kind(Array(text.utf8)) == .request)
    }

    @Test("A PROXY header of both versions is one")
    func proxyHeader() {
        #expect(kind(Array("PROXY TCP4 192.0.2.1 198.51.100.1 56324 443\r\n".utf8)) == .proxyHeader)
        let signature: [UInt8] = [13, 10, 13, 10, 0, 13, 10, 0x51, 0x55, 0x49, 0x54, 10]
        #expect(kind(signature + [0x21, 0x11, 0, 12]) == .proxyHeader)
        #expect(kind(signature.dropLast()) == .unknown)
    }

    @Test(
        "Records of TLS begin with their type", arguments: [(19, false), (20, true), (22, true), (24, false)])
    func tls(type: UInt8, isTLS: Bool) {
        #expect(kind([type, 3, 1]) == (isTLS ? .tls : .unknown))
    }
}
