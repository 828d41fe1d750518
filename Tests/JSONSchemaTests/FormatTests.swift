import Testing

@testable import JSONSchema

@Suite("Formats")
struct FormatTests {
    @Test(
        "A format refuses near misses",
        arguments: [
            (
                "date-time",
                [
                    "2026-11-20", "2026-11-20T08:00:00", "2026-02-30T08:00:00Z", "2026-11-20T24:00:00Z",
                    "2026-11-20T08:00:60Z",
                ]
            ),
            ("date", ["2026-13-01", "2026-1-1", "2025-02-29", "20261120", ""]),
            ("time", ["08:00:00", "8:00:00Z", "08:00Z", "23:59:61Z", "08:00:00.Z", "08:00:00+24:00"]),
            ("duration", ["P", "PT", "P1", "P1YT", "PT1D", "P1M1Y", "P1W1D", "p1d", "P1Y1D"]),
            ("email", ["a", "@a", "a@", "a@b..c", ".a@b", "a b@c", "\"a@b", "a@[1.2.3]", "é@a.b"]),
            ("hostname", ["", "-a", "a-", "a..b", "a_b", "ab--cd", "xn--!", "xn---", "é.com"]),
            ("ipv4", ["1.2.3", "1.2.3.256", "01.2.3.4", "1.2.3.4 "]),
            ("ipv6", ["::1::", "1:2:3", "12345::", "fe80::1%eth0"]),
            ("uri", ["/a", "a b:c", "http://[::1", "http://a:b", "http://a/%zz", "http://é/", "1a:b"]),
            ("uri-reference", ["a b", "\\", "a:b c", "#a#b", "http://a:b"]),
            ("iri", ["/é", "http://é é"]),
            ("uuid", ["0b6f3f1e8d0c4a629a573a4e6c1f2d3b", "0b6f3f1e-8d0c-4a62-9a57-3a4e6c1f2d3g"]),
            ("uri-template", ["{", "}", "{a", "{a:0}", "{a:10000}", "{}", "{a,}", "a b"]),
            ("json-pointer", ["a", "/~", "/~2", "#/a"]),
            ("relative-json-pointer", ["/a", "-1", "01", "1#a", ""]),
            ("regex", ["(", "\\a", "a{2,1}"]),
            ("byte", ["a", "ab=c", "a===", "ab-_"]),
        ])
    func refused(format: String, texts: [String]) throws {
        for text in texts { #expect(try !has(format, text), "\(text) has the format \(format)") }
    }

    @Test(
        "A format accepts what its specification has",
        arguments: [
            (
                "date-time",
                [
                    "2026-11-20T08:00:00Z", "2026-11-20t08:00:00.123+09:00", "1998-12-31T23:59:60Z",
                    "0000-01-01T00:00:00Z",
                ]
            ),
            ("date", ["2024-02-29"]), ("time", ["23:59:60Z", "01:29:60+01:30", "08:00:00.5-08:00"]),
            ("duration", ["P4DT12H30M5S", "P2W", "PT0S", "P1Y2M3D", "PT36H"]),
            ("email", ["a@b.c", "a+b@c", "\"a b\"@c.d", "a@[127.0.0.1]", "a@[IPv6:::1]"]),
            ("idn-email", ["é@é.com"]), ("hostname", ["a", "a.b-c.d", "xn--bcher-kva.example"]),
            ("ipv4", ["127.0.0.1"]),
            ("ipv6", ["::", "::1", "1:2:3:4:5:6:7:8", "::ffff:1.2.3.4"]),
            ("uri", ["http://a", "urn:a:b", "http://u:p@[::1]:80/a?b#c", "mailto:a@b"]),
            ("uri-reference", ["", "a", "//a/b", "#a", "?a"]),
            ("iri", ["http://é/é?é#é"]), ("iri-reference", ["é"]),
            ("uuid", ["0B6f3f1e-8d0c-4a62-9a57-3a4e6c1f2d3b"]),
            ("uri-template", ["/a{?b,c*}{#d:3}", "a"]), ("json-pointer", ["", "/", "/a~0~1"]),
            ("relative-json-pointer", ["0", "1#", "2/a"]),
            ("regex", ["(a|b)*"]), ("byte", ["", "YQ==", "YWI=", "YWJj"]),
        ])
    func accepted(format: String, texts: [String]) throws {
        for text in texts { #expect(try has(format, text), "\(text) does not have the format \(format)") }
    }

    private func has(_ format: String, _ text: String) throws -> Bool {
        let format = try #require(Format(rawValue: format))
        return Array(text.utf8).withUnsafeBytes { format.accepts($0) }
    }

    @Test("A format that is only annotated, and an unknown one, refuse nothing")
    func annotations() throws {
        for format in ["idn-hostname", "binary", "password", "x"] {
            #expect(try accepts(#"{"format":"\#(format)"}"#, #""-""#))
        }
        #expect(try JSONSchema(json: #"{"format":"idn-hostname"}"#).warnings.isEmpty)
        #expect(
            try JSONSchema(json: #"{"format":"datetime"}"#).warnings.map(\.description) == [
                "1:11: warning: format: \"datetime\" is not known and is ignored; did you mean \"date-time\"?"
            ])
    }

    @Test("The format regex accepts what V8 does, also if PCRE2 could not match it")
    func unmatchedPatterns() throws {
        for text in ["(?<=a+)b", "a{70000}", "(?<=(a|bc)*)d", "\\k<n>(?<n>a)", "(a)\\1"] {
            #expect(try has("regex", text), "\(text) is refused")
        }
        for text in ["(?<=a", "\\k<n>", "(a)\\2", "a**", "b{2}{3}", "}"] {
            #expect(try !has("regex", text), "\(text) is accepted")
        }
    }
}
