/// An answer to be compressed.
struct Answer {
    let name: String
    let bytes: [UInt8]
}

/// JSON like a gateway's answers, the same in every run.
///
/// `home` is the home screen of `sluice demo`, whose forecasts repeat their names; more stations make it
/// longer. `feed` is a list of entries with prose, identifiers and times, which compresses less. `digits` has
/// nothing that repeats.
enum Answers {
    static let usual =
        [home(1 << 10), home(10_385), home(64 << 10), feed(10 << 10), feed(64 << 10)]

    /// Answers that may hold the event loop for long.
    static let large =
        [16, 64, 128, 256, 1024].flatMap { [home($0 << 10), feed($0 << 10)] }
        + [64, 128, 256].map { digits($0 << 10) }

    private static func home(_ count: Int) -> Answer {
        var numbers = SeededNumbers()
        let points = (13...19).map { day in
            let weight = 700 + numbers.next(30)
            return #"{"date":"2026-11-\#(day)","am":\#(tenths(weight)),"pm":\#(tenths(weight + 8))}"#
        }
        let start =
            #"{"code":"OK","message":"success","status":200,"data":{"weights":{"recent":{"unit":"kg","points":["#
            + points.joined(separator: ",") + "]}},"
        let end =
            #""user":{"id":1001,"name":"GREEN","nameKo":"김초록","nameEn":"Green Kim","level":42,"tier":"GOLD","#
            + #""joinedOn":"2021-03-14","introduction":"반응형으로 생각하는 개발자입니다."}},"meta":{"#
            + #""requestId":"1ey57j4zmt8wef8","complete":true,"elapsedMs":140.3}}"#
        return fill("home", count, start + #""tags":["#, "]," + end) { index in
            index < 8 ? Self.tag(index) : Self.forecast(index - 8, &numbers)
        }
    }

    private static func tag(_ index: Int) -> String {
        let names = [
            ("유쾌한 돌고래", "Cheerful dolphin", "🐬"), ("차분한 바다", "Calm sea", "🌊"),
            ("빠른 치타", "Swift cheetah", "🐆"), ("다정한 고양이", "Kind cat", "🐱"),
            ("성실한 개미", "Diligent ant", "🐜"), ("따뜻한 난로", "Warm stove", "🔥"),
            ("빛나는 아이디어", "Shining idea", "💡"), ("든든한 나무", "Steady tree", "🌳"),
        ]
        let (name, english, icon) = names[index]
        return #"{"tagId":\#(index + 1),"name":"\#(name)","nameEn":"\#(english)","icon":"\#(icon)"}"#
    }

    /// One of ten values for each of six hours, for one station after another.
    private static func forecast(_ index: Int, _ numbers: inout SeededNumbers) -> String {
        let categories: [(name: String, value: String)] = [
            ("LGT", "0"), ("PTY", "0"), ("RN1", "강수없음"), ("SKY", "\(1 + numbers.next(4))"),
            ("T1H", "\(3 + numbers.next(9))"), ("REH", "\(40 + numbers.next(50))"),
            ("UUU", tenths(numbers.next(60))), ("VVV", tenths(numbers.next(60))),
            ("VEC", "\(numbers.next(360))"), ("WSD", tenths(numbers.next(80))),
        ]
        let (station, value) = index.quotientAndRemainder(dividingBy: 60)
        let (category, hour) = value.quotientAndRemainder(dividingBy: 6)
        let time = "\(hour < 2 ? "0" : "")\(8 + hour)00"
        return #"{"baseDate":"20261126","baseTime":"0730","category":"\#(categories[category].name)","#
            + #""fcstDate":"20261126","fcstTime":"\#(time)","nx":\#(60 + station * 7 % 50),"#
            + #""ny":\#(127 - station * 11 % 60),"fcstValue":"\#(categories[category].value)"}"#
    }

    static func feed(_ count: Int) -> Answer {
        var numbers = SeededNumbers()
        return fill(
            "feed", count, #"{"code":"OK","message":"success","status":200,"data":{"entries":["#, "]}}"
        ) {
            Self.entry($0, &numbers)
        }
    }

    private static func entry(_ index: Int, _ numbers: inout SeededNumbers) -> String {
        let note = (0..<(6 + numbers.next(20))).map { _ in words[numbers.next(words.count)] }
        let image = String(numbers.next(1 << 60), radix: 16)
        let time = "\(10 + numbers.next(14)):\(10 + numbers.next(50)):\(10 + numbers.next(50))"
        let author = #"{"id":\#(1000 + numbers.next(400)),"name":"\#(words[numbers.next(words.count)])"}"#
        return #"{"id":\#(900_000 - index * 7),"author":\#(author),"#
            + #""createdAt":"2026-11-\#(10 + numbers.next(20))T\#(time)Z","note":"\#(note.joined(separator: " "))","#
            + #""image":"https://images.example.com/diary/\#(image).jpg","#
            + #""weight":\#(tenths(600 + numbers.next(300))),"likes":\#(numbers.next(500)),"#
            + #""liked":\#(numbers.next(2) == 0)}"#
    }

    private static func digits(_ count: Int) -> Answer {
        var numbers = SeededNumbers()
        return fill("digits", count, "[", "]") { _ in "\(numbers.next(1 << 60))" }
    }

    private static let words = """
        오늘 아침 점심 저녁 체중 운동 산책 물 샐러드 닭가슴살 현미밥 커피 간식 조금 많이 그리고 하지만 어제보다 가벼운 기분 친구와 공원에서 \
        the a and with after before run walk breakfast lunch dinner coffee water weight lighter heavier morning evening slowly quickly \
        park river friend family office train bicycle recipe rice tofu noodles soup apple banana yogurt almonds week month goal \
        reached missed tomorrow again better sleep early late rain sunny cold warm because while without never always sometimes \
        protein carbohydrates calories minutes kilometres stairs stretching yoga swimming tired happy proud hungry full ready
        """.split(separator: " ").map(String.init)

    private static func tenths(_ number: Int) -> String { "\(number / 10).\(number % 10)" }

    /// Puts items between `start` and `end` until the answer has about `count` bytes.
    private static func fill(
        _ name: String, _ count: Int, _ start: String, _ end: String, _ item: (Int) -> String
    ) -> Answer {
        var bytes = Array(start.utf8)
        var index = 0
        while true {
            let next = Array(((index == 0 ? "" : ",") + item(index)).utf8)
            guard index == 0 || bytes.count + next.count + end.utf8.count <= count else { break }
            bytes += next
            index += 1
        }
        return Answer(name: name, bytes: bytes + Array(end.utf8))
    }
}

/// Random numbers that are the same in every run (SplitMix64).
private struct SeededNumbers {
    private var state: UInt64 = 1

    /// Returns a number from 0 to less than `limit`.
    mutating func next(_ limit: Int) -> Int {
        state &+= 0x9E37_79B9_7F4A_7C15
        var value = state
        value = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
        value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
        return Int((value ^ (value >> 31)) % UInt64(limit))
    }
}
