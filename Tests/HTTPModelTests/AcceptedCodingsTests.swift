import HTTPModel
import Testing

@Suite("Accepted codings")
struct AcceptedCodingsTests {
    @Test(
        "gzip is preferred if it is accepted and weighs no less than identity",
        arguments: [
            ([], false), ([""], false), (["identity"], false), (["gzip;q=0"], false), (["*;q=0"], false),
            (["br"], false),
            (["gzip;q=0.5, identity"], false), (["gzip;q=2"], false), (["gzip;level=9"], false),
            (["gzip;q=1;q=1"], false), (["gzip;level=1"], false), (["gzip;"], false), (["gzip;=1"], false),
            (["gzip;q=", "gzip;q"], false), (["identity, gzip;q=0.999"], false),
            (["*, gzip;q=0"], false), (["gzip zip"], false),
            (["gzip"], true), (["GZIP"], true), (["x-gzip"], true), (["*"], true),
            (["gzip, deflate, br, zstd"], true),
            (["deflate", "gzip;q=0.001"], true), (["gzip;q=0.5, identity;q=0.5"], true),
            (["identity;q=0, *"], true),
            (["br ; q=1.0, gzip ; Q=0.8"], true), (["a b, gzip"], true),
            (["gzip;q=1 , br"], true), (["=, ;q=1, gzip"], true), (["gzip, identity;q=1"], true),
            (["gzip;q=1, identity"], true),
        ] as [([String], Bool)])
    func prefers(values: [String], expected: Bool) {
        var fields = HTTPFields()
        for value in values { fields.append(.acceptEncoding, value) }
        #expect(AcceptedCodings(fields).prefers("gzip") == expected)
    }
}
