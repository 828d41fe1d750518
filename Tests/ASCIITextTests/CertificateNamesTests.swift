import ASCIIText
import Testing

@Suite("Names of certificates")
struct CertificateNamesTests {
    @Test(
        "A text that can be no name is refused",
        arguments: [
            "", ".", "a..b", "a b", "*", "*.com", "*.*.example.com", "a.*.example.com", "sp\u{e9}.example",
            ":", "x:", ":x", "1x:y", "spiffe://a b", "http://a\u{7f}", String(repeating: "a", count: 64),
            String(repeating: "a.", count: 127) + "a",
        ])
    func refused(text: String) {
        #expect(
            CertificateNames.fault(of: text)
                == "is not a DNS name such as shop.example.com or *.example.com, or a URI")
    }

    @Test(
        "An IP address cannot name a client",
        arguments: ["127.0.0.1", "10.20.30.40", "::1", "fe80::1", "2001:db8::7", "[::1]"])
    func addresses(text: String) {
        #expect(
            CertificateNames.fault(of: text)
                == "is an IP address, which names no client: use a DNS name such as shop.example.com, or a URI"
        )
    }

    @Test("A URI with an asterisk is refused", arguments: ["spiffe://x/*", "spiffe://*.x/a", "urn:*"])
    func wildcardURIs(text: String) {
        #expect(
            CertificateNames.fault(of: text)
                == "is a URI with an asterisk, which stands for nothing there: list each URI in full")
    }

    @Test("A wildcard in a certificate names nobody and matches nothing, not even the same wildcard")
    func wildcards() {
        let names = CertificateNames(["*.partner.example", "partner.example"])
        for name in ["*.partner.example", "*.PARTNER.example.", "a*.partner.example", "*"] {
            #expect(names.match(dnsNames: [name], uris: []) == nil, "\(name)")
        }
        #expect(
            names.match(dnsNames: ["*.partner.example", "b.partner.example"], uris: []) == "b.partner.example"
        )
        #expect(CertificateNames.identities(["*.a.example", "B.Example.", ".", "c"]) == ["b.example", "c"])
    }

    @Test(
        "DNS names, names with an asterisk for their first label and URIs are names",
        arguments: [
            "localhost", "shop.example.com", "shop.example.com.", "SHOP.example.com", "*.example.com",
            "_a.b-c.d",
            "spiffe://example.com/shop", "urn:uuid:1", "1.2.3.4.example", "abc:def", "1.2.3",
        ])
    func accepted(text: String) { #expect(CertificateNames.fault(of: text) == nil) }

    @Test("A certificate without one of the names does not match")
    func others() {
        let names = CertificateNames(["shop.example.com", "*.partner.example", "spiffe://example.com/shop"])
        #expect(names.match(dnsNames: [], uris: []) == nil)
        for name in [
            "example.com", "a.shop.example.com", "partner.example", "a.b.partner.example", "xpartner.example",
        ] {
            #expect(names.match(dnsNames: [name], uris: []) == nil, "\(name)")
        }
        // URIs are compared exactly, and are not DNS names.
        #expect(names.match(dnsNames: ["spiffe://example.com/shop"], uris: []) == nil)
        #expect(names.match(dnsNames: [], uris: ["spiffe://example.com/Shop", "shop.example.com"]) == nil)
    }

    @Test("The first name that matches is told in lower case without a final dot, DNS names first")
    func matches() {
        let names = CertificateNames(["Shop.example.com.", "*.partner.example", "spiffe://example.com/shop"])
        #expect(names.match(dnsNames: ["other", "SHOP.example.com"], uris: []) == "shop.example.com")
        #expect(names.match(dnsNames: ["a.Partner.example."], uris: []) == "a.partner.example")
        #expect(
            names.match(dnsNames: ["other"], uris: ["urn:x:y", "spiffe://example.com/shop"])
                == "spiffe://example.com/shop")
        #expect(
            names.match(dnsNames: ["b.partner.example"], uris: ["spiffe://example.com/shop"])
                == "b.partner.example")
    }
}
