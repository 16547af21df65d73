// Written by tools/make_js_data.py: do not edit.
export const Clocks = {"dim": {"kind": "whole", "low": 2, "high": 16, "even": true}, "position": {"kind": "whole", "low": 0, "high": 1000}, "playing": {"kind": "flag"}};
export const Fingerprint = {"dim": {"kind": "whole", "low": 4, "high": 128, "even": true}, "length": {"kind": "whole", "low": 2, "high": 128}, "base": {"kind": "number", "low": 10.0, "high": 1000000.0}, "position": {"kind": "whole", "low": 0, "high": 127}, "compare": {"kind": "whole", "low": 0, "high": 127}, "dimension": {"kind": "whole", "low": 0, "high": 127}};
export const OrderProblem = {"order": {"kind": "order", "size": 3}, "position": {"kind": "flag"}, "looks": {"kind": "whole", "low": 0, "high": 2}, "at": {"kind": "whole", "low": 0, "high": 2}};
export const Quiz = {"questions": {"kind": "questions"}, "answers": {"kind": "answers"}};
