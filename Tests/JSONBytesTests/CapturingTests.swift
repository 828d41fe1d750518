@_spi(Reading) import JSONBytes
import Testing

@Suite("Capturing members")
struct CapturingTests {
    private static let envelope = JSONMemberNames("code", "message", "responseMsg", "status", "data")

    private func scan(_ text: String) throws -> JSONMembers {
        try JSONScanner.scan(Array(text.utf8)[...], capturing: Self.envelope)
    }

    @Test("A malformed document gives no members")
    func aBrokenDocumentGivesNoMembers() {
        #expect(throws: JSONError(offset: 24, reason: .unexpectedEnd)) {
            try scan(#"{"code":"OK","status":20"#)
        }
    }

    @Test("A document that is not an object gives no members")
    func aDocumentThatIsNoObjectHasNoneOfTheMembers() throws {
        for text in ["[]", "null", "200", #""data""#, #"["data",1]"#, #"[{"data":1}]"#] {
            let members = try scan(text)
            #expect((0..<5).allSatisfy { members[$0] == nil })
            #expect(members.document.description == text)
        }
    }

    @Test("Members of nested objects are not captured")
    func membersOfNestedObjectsAreNotTakenForTheDocuments() throws {
        let members = try scan(#"{"outer":{"data":1,"code":"X"},"list":[{"status":3}]}"#)
        #expect((0..<5).allSatisfy { members[$0] == nil })
    }

    @Test("Captured members have the same bytes as in the document")
    func anEnvelopesMembersAreTheBytesTheyWereWrittenWith() throws {
        let text = """
            \t{ "code" : "OK" , "message":"\\uac00 ok","status": 2.00e2 ,
              "data": {"unit":"kg","points":[{"data":1.10}, null ]} , "responseMsg":null }\r\n
            """
        let members = try scan(text)
        #expect(members[0]?.description == #""OK""#)
        #expect(members[1]?.description == #""\uac00 ok""#)
        #expect(members[2]?.description == "null")
        #expect(members[3]?.description == "2.00e2")
        #expect(members[4]?.description == #"{"unit":"kg","points":[{"data":1.10}, null ]}"#)
        #expect(members[3]?.intValue == 200)
    }

    @Test("integer(at:) and value(at:) agree with the member's fragment")
    func aMemberAsAWholeNumberIsWhatItsFragmentSays() throws {
        for value in [
            "0", "200", "-7", "999999999", "1234567890", "2.00e2", "1.5", "9223372036854775808", "null",
            #""200""#, "[]",
        ] {
            let bytes = Array(#"garbage \#n{"status":\#(value) , "data":1} garbage"#.utf8)
            let members = try JSONScanner.scan(bytes.dropFirst(7).dropLast(7), capturing: Self.envelope)
            #expect(members.integer(at: 3) == members[3]?.intValue, "\(value)")
            #expect(members.integer(at: 4) == 1)
            #expect(members.integer(at: 0) == nil)
            #expect(members.value(at: 3) == members[3])
            #expect(members.value(at: 0) == nil)
        }
    }

    @Test("If a name is repeated, the last member is captured, even if its name has escapes")
    func ofMembersWithOneNameTheLastCounts() throws {
        #expect(try scan(#"{"data":1,"data":{"data":2},"data":3}"#)[4]?.description == "3")
        #expect(try scan(#"{"data":1,"d\u0061ta":2}"#)[4]?.description == "2")
    }

    @Test("Names with the same length or the same prefix are distinguished")
    func namesThatShareALengthOrABeginningAreToldApart() throws {
        let text =
            #"{"responseMsk":1,"responseMsgs":2,"responseMs":3,"date":4,"cod":5,"codes":6,"dat\u0000":7,"response":8,"responseM":9}"#
        let members = try scan(text)
        #expect((0..<5).allSatisfy { members[$0] == nil })
    }

    @Test("Ranges are correct in a slice that does not start at 0")
    func rangesAreRightInASliceThatDoesNotBeginAtZero() throws {
        let bytes = Array(#"garbage{"data":[1]}garbage"#.utf8)
        let members = try JSONScanner.scan(bytes[7..<19], capturing: Self.envelope)
        #expect(members[4]?.description == "[1]")
        #expect(members[4]?.bytes.startIndex == 15)
        #expect(members.document.bytes.indices == 7..<19)
    }
}
