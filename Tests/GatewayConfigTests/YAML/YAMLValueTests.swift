import Testing

@testable import GatewayConfig

@Suite("Plain scalars have the types of YAML 1.2's core schema")
struct YAMLValueTests {
    @Test(
        "A number becomes JSON's spelling of it",
        arguments: [
            ("0", "0"), ("012", "12"), ("+7", "7"), ("-00", "-0"), ("0o14", "12"), ("0x1F", "31"),
            ("0xffffffffffffffff", "18446744073709551615"),
            ("123456789012345678901234567890", "123456789012345678901234567890"),
        ])
    func integers(text: String, json: String) {
        #expect(YAMLValue(plain: text) == .integer(json))
    }

    @Test(
        "A decimal number has digits on both sides of its point",
        arguments: [
            ("1.5", "1.5"), (".5", "0.5"), ("5.", "5"), ("-.25", "-0.25"), ("1e3", "1e3"),
            ("+1.E-3", "1E-3"), ("007.10", "7.10"),
        ])
    func decimals(text: String, json: String) {
        #expect(YAMLValue(plain: text) == .decimal(json))
    }

    @Test(
        "Numbers that JSON does not have are told apart",
        arguments: [".inf", "-.INF", "+.Inf", ".nan", ".NaN", "0x10000000000000000"])
    func unrepresentable(text: String) {
        #expect(YAMLValue(plain: text) == .unrepresentable)
    }

    @Test(
        "Words of YAML 1.1 and near misses are text",
        arguments: [
            "yes", "no", "on", "off", "y", "TRUe", "nULL", "1_000", "0b11", "-0x1F", "0o8", "0x", "0xg",
            "1:30", ".", "-", "+", "1e", "e3", "1.2.3", "+.nan", ".infinity", "2026-11-26", "١", "0o",
        ])
    func texts(text: String) {
        #expect(YAMLValue(plain: text) == .text)
    }

    @Test("Null and Booleans have three spellings each")
    func words() {
        for text in ["", "~", "null", "Null", "NULL"] { #expect(YAMLValue(plain: text) == .null) }
        for text in ["true", "True", "TRUE"] { #expect(YAMLValue(plain: text) == .bool(true)) }
        for text in ["false", "False", "FALSE"] { #expect(YAMLValue(plain: text) == .bool(false)) }
    }

    @Test("What is in quotes or a block is text")
    func quoted() {
        #expect(Composed("- '1'\n- \"null\"\n- |-\n  true\n").json == #"["1","null","true"]"#)
    }
}
