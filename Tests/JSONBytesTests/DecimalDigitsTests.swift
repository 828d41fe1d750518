import JSONBytes
import Testing

@Suite("Numbers with all of their digits")
struct DecimalDigitsTests {
    private func digits(_ text: String) -> DecimalDigits { DecimalDigits(text.utf8) }

    @Test(
        "A number is the same however it is written",
        arguments: [
            ["0", "-0", "0.00", "0e5", "-0.0e-3"], ["1", "1.0", "10e-1", "0.1e1", "0.001E+3"],
            ["-150", "-1.5e2", "-1500e-1"], ["0.05", "5e-2", "0.5e-1"],
            ["1e9223372036854775807", "1e99999999999999999999"],
        ])
    func equal(texts: [String]) {
        #expect(Set(texts.map(digits)).count == 1)
        for text in texts { #expect(!(digits(text) < digits(texts[0]))) }
    }

    @Test("Numbers are in order, also those that a Double rounds to the same value")
    func order() {
        let texts = [
            "-1e400", "-10", "-9.5", "-0.1", "-1e-400", "0", "1e-400", "0.09999999999999999999", "0.1",
            "0.10000000000000000001",
            "9.99", "10", "10.0000000000000001", "9007199254740992", "9007199254740992.5", "9007199254740993",
            "1e400",
            "1e99999999999999999999",
        ]
        let numbers = texts.map(digits)
        for (index, number) in numbers.enumerated() {
            for (other, later) in numbers.enumerated() {
                #expect((number < later) == (index < other), "\(texts[index]) < \(texts[other])")
            }
        }
    }
}
