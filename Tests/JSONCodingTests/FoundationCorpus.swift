import Foundation
import JSONBytes
import JSONCoding

/// A document for both decoders: valid or malformed JSON, or other bytes.
struct CorpusDocument: Sendable {
    let name: String
    let bytes: [UInt8]

    init(_ text: String) {
        // Names are escaped so that canonically equivalent texts have different names.
        name = text.unicodeScalars.map { $0.isASCII ? String($0) : $0.escaped(asASCII: true) }.joined()
        bytes = Array(text.utf8)
    }

    init(_ name: String, _ bytes: [UInt8]) {
        self.name = name
        self.bytes = bytes
    }

    init(_ name: String, _ text: String, in encoding: String.Encoding) {
        self.init(name, text.data(using: encoding).map { [UInt8]($0) } ?? [])
    }

    private static let mark: [UInt8] = [0xEF, 0xBB, 0xBF]

    private static func nested(_ levels: Int, _ inside: String = "") -> String {
        String(repeating: "[", count: levels) + inside + String(repeating: "]", count: levels)
    }

    static let all: [CorpusDocument] = texts.map { CorpusDocument($0) } + encoded + long

    private static let encoded = [
        CorpusDocument("a byte order mark, {}", mark + Array("{}".utf8)),
        CorpusDocument("a byte order mark, [1]", mark + Array(" [1] ".utf8)),
        CorpusDocument("a byte order mark, \"a\"", mark + Array("\"a\"".utf8)),
        CorpusDocument("a byte order mark, a=1", mark + Array(#"{"a":1,"b":"x"}"#.utf8)),
        CorpusDocument("a byte order mark alone", mark),
        CorpusDocument("two byte order marks", mark + mark + Array("1".utf8)),
        CorpusDocument("white space, a byte order mark", [0x20] + mark + Array("1".utf8)),
        CorpusDocument("half a byte order mark", [0xEF, 0xBB] + Array("1".utf8)),
        CorpusDocument("UTF-16, little", "[1]", in: .utf16LittleEndian),
        CorpusDocument("UTF-16, big", "[1]", in: .utf16BigEndian),
        CorpusDocument("UTF-16 with its mark", "[1]", in: .utf16),
        CorpusDocument("UTF-32, little", "[1]", in: .utf32LittleEndian),
        CorpusDocument("UTF-32, big", "[1]", in: .utf32BigEndian),
        CorpusDocument("a byte that is not UTF-8", Array("\"".utf8) + [0xFF] + Array("\"".utf8)),
        CorpusDocument("Latin 1", Array("\"".utf8) + [0xE9] + Array("\"".utf8)),
        CorpusDocument("an overlong slash", Array("\"".utf8) + [0xC0, 0xAF] + Array("\"".utf8)),
        CorpusDocument("a surrogate in UTF-8", Array("\"".utf8) + [0xED, 0xA0, 0x80] + Array("\"".utf8)),
        CorpusDocument("a NUL behind the document", Array("1".utf8) + [0]),
    ]

    private static let long = [
        CorpusDocument("1, 255 zeros", Array(("1" + String(repeating: "0", count: 255)).utf8)),
        CorpusDocument("1, 256 zeros", Array(("1" + String(repeating: "0", count: 256)).utf8)),
        CorpusDocument("0., 254 ones", Array(("0." + String(repeating: "1", count: 254)).utf8)),
        CorpusDocument("0., 255 ones", Array(("0." + String(repeating: "1", count: 255)).utf8)),
        CorpusDocument("64 levels", Array(nested(64).utf8)),
        CorpusDocument("65 levels", Array(nested(65).utf8)),
        CorpusDocument("512 levels", Array(nested(512).utf8)),
        CorpusDocument("513 levels", Array(nested(513).utf8)),
        CorpusDocument("64 levels around 1", Array(nested(64, "1").utf8)),
        CorpusDocument("65 levels around 1", Array(nested(65, "1").utf8)),
    ]

    private static let texts = [
        "", " ", "{}", "[]", "null", "true", "false", " 1 ", "\n[\t1 ,\r\n2 ]", "[[1],[2,3]]",
        // Structure.
        "[1,]", "[1,2,]", #"{"a":1,}"#, "[,1]", "[1 2]", "[1", #"{"a":1"#, "1 2", "[1]]", "{a:1}", "{'a':1}",
        "{1:2}",
        "// x\n1", "/* x */ 1", "nul", "True", "[1,\u{A0}2]", "undefined",
        // Numbers.
        "0", "-0", "-0.0", "0e3", "-0.0e3", "1.0", "1.5", "1e2", "1E+2", "1e-2", "120e-1", "0.1", "-1", "127",
        "128",
        "-128",
        "-129", "255",
        "256", "300", "16777217", "9007199254740993", "9007199254740993.0", "9223372036854775807",
        "9223372036854775808",
        "-9223372036854775808", "-9223372036854775809", "18446744073709551615", "18446744073709551616",
        "1.8446744073709551615e19", "70000000000000000.5", "0.30000000000000004", "3.0000000000000001",
        "5e-324",
        "1e-400", "-1e-400", "1e400", "-1e400", "1e39", "3.4028236e38", "1.7976931348623157e308", "1e128",
        "1e-128",
        "1234567890123456789012345678901234567890", "0.1234567890123456789012345678901234567890",
        "12345678901234567890.123456789012345678901234567890",
        "01", "+1", ".5", "1.", "-", "1e", "0x10", "NaN", "Infinity", "-Infinity", "1_000",
        "[1,-2,30]", #""nan""#,
        "[1.5,2,1e2]",
        // Strings.
        #""""#, #""a""#, #""1""#, #""true""#, #""é""#, "\"e\u{301}\"", #""\u00e9""#, #""\"\\\/\b\f\n\r\t""#,
        #""\u0000""#,
        #""\ud83d\ude00""#, #""\uD83D\uDE00""#, #""\ud800""#, #""\udc00""#, #""x\ud83dy""#,
        #""\ud83d\ud83d""#,
        #""\ude00\ud83d""#, #""\ud83d\n""#, #"["\ud800"]"#, #"{"a":1,"b":"\ud83d"}"#, #"{"\ud800":1}"#,
        #"{"a":1,"c":"\ud800"}"#,
        "\"\u{1}\"", "\"\n\"", "\"\u{7f}\"", #""\x""#, #""\u12""#, #""\u{41}""#, #""\U0041""#, "\"\u{2028}\"",
        "\"\u{FFFE}\"",
        #""a"#, "\"\u{FEFF}\"",
        // Dates, data and URLs.
        "0.5", #""NaN""#, #""2026-11-20T08:00:00Z""#, #""AQID""#, #""AQI""#, #""AQ=D""#, #""AQ\nID""#,
        #""AQI=""#,
        #""https://a.example/b?c=d#e""#, #""a b""#, #""체중""#, #""http://[""#, #""%""#,
        #""E621E1F8-C36C-495A-93FC-0C247A3E6E5F""#, #""e621e1f8-c36c-495a-93fc-0c247a3e6e5f""#,
        #""E621E1F8""#,
        // Members.
        #"{"a":1}"#, #"{"a":1,"b":"x"}"#, #"{"a":1,"b":null}"#, #"{"a":null}"#, #"{"b":"x"}"#, #"{"a":"1"}"#,
        #"{"a":1.5}"#,
        #"{"a":true}"#, #"{"A":1}"#, #"{"\u0061":1}"#, #"{"a":1,"a":2}"#, #"{"a":1,"\u0061":2}"#,
        #"{"a":1,"a":"x"}"#,
        #"{"a":"x","a":1}"#, #"{"a":[1],"a":"x"}"#, #"{"a_b":1,"aB":"x"}"#, #"{"aB":1,"a_b":2}"#,
        #"{"a":1,"c":[{"d":[]}]}"#, #"{"":1}"#, #"{"é":1}"#, "{\"e\u{301}\":1}",
        "{\"é\":1,\"e\u{301}\":2}", #"{"a":1,"b":2}"#, #"{"first_name":1}"#, #"{"a" : 1 , "b" : "x"}"#,
        "[null]", "[1,null]",
        #"["a",null]"#, #"["a"]"#, #"[[]]"#,
    ]
}
