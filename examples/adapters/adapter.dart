// An adapter in Dart, of the standard library alone, that speaks the wire: pytest --impl='cmd:dart run adapter.dart'.
//
// This file was never run: where the suite is developed there is no Dart. `conformance smoke 'cmd:dart run adapter.dart'`
// says whether it does what it should; please report where it does not.
//
// Put your parser in the place of Parser, and say in implementation what it is.

import 'dart:convert';
import 'dart:io';

const implementation = {
  'name': 'template-dart',
  'version': '1.0',
  'language': 'Dart',
  'dialects': ['qwen3'],
  'policy': {'declined': 'dropped', 'reopen': 'text', 'stray_close': 'text', 'echoed_open': 'text'},
};

// state: the markers that act there, and the state that each leads to
const states = {
  'before': {'<think>': 'inside', '</think>': 'after', '<tool_call>': 'call'},
  'words': {'<think>': 'inside', '<tool_call>': 'call'}, // before, once words came: a closer is text then
  'inside': {'</think>': 'after', '<tool_call>': 'call'},
  'after': {'<tool_call>': 'call'},
  'call': {'</tool_call>': 'after'},
};

final words = RegExp(r'[^ \t\n\r\v\f]');

/// Reads one output of Qwen3, fed in chunks. [opened]: the prompt ended with <think>.
class Parser {
  Parser(bool opened) : state = opened ? 'inside' : 'before';

  String state;
  String held = '';

  List<List<String>> feed(String text) => read(held + text, false);

  List<List<String>> finish() => read(held, true);

  /// The deltas that a text releases; what may still become a marker is held.
  List<List<String>> read(String text, bool last) {
    final deltas = <List<String>>[];
    var done = 0;
    held = '';
    while (true) {
      var at = text.indexOf('<', done);
      if (at < 0) at = text.length;
      release(deltas, text.substring(done, at));
      if (at == text.length) return deltas;
      final markers = states[state]!;
      String? found;
      var begun = false;
      for (final marker in markers.keys) {
        if (text.startsWith(marker, at)) found = marker;
        final end = at + marker.length < text.length ? at + marker.length : text.length;
        begun = begun || marker.startsWith(text.substring(at, end));
      }
      if (found != null) {
        if (found.contains('tool_call')) deltas.add(['content', found]);
        state = markers[found]!;
        done = at + found.length;
      } else if (begun && !last) {
        held = text.substring(at);
        return deltas;
      } else {
        release(deltas, '<');
        done = at + 1;
      }
    }
  }

  void release(List<List<String>> deltas, String text) {
    if (text.isEmpty) return;
    deltas.add([state == 'inside' ? 'reasoning' : 'content', text]);
    if (state == 'before' && words.hasMatch(text)) state = 'words';
  }
}

/// One list of deltas a chunk, and one more, the last, for after the end.
List<List<List<String>>> stream(Map<String, dynamic> asked) {
  final parser = Parser(asked['request']['opened'] as bool);
  return [
    for (final chunk in asked['chunks'] as List) parser.feed(chunk['text'] as String),
    parser.finish(),
  ];
}

/// The message of a whole output. If your parser has a function of its own for that, call it here.
Map<String, String> split(Map<String, dynamic> asked) {
  final parser = Parser(asked['request']['opened'] as bool);
  final told = {'reasoning': StringBuffer(), 'content': StringBuffer()};
  for (final delta in [...parser.feed(asked['raw'] as String), ...parser.finish()]) {
    told[delta[0]]!.write(delta[1]);
  }
  return told.map((channel, text) => MapEntry(channel, text.toString()));
}

/// The answer to one question. An error of the parser is an answer too; this process goes on.
Map<String, dynamic> answer(Map<String, dynamic> asked) {
  try {
    return asked['cmd'] == 'split' ? {'message': split(asked)} : {'deltas': stream(asked)};
  } catch (error) {
    return {'error': '$error'};
  }
}

Future<void> main() async {
  await for (final line in stdin.transform(utf8.decoder).transform(const LineSplitter())) {
    final asked = jsonDecode(line) as Map<String, dynamic>;
    if (asked['cmd'] == 'stop') break;
    final told = asked['cmd'] == 'start'
        ? {'version': 1, 'implementation': implementation}
        : {'seq': asked['seq'], ...answer(asked)};
    // stdout is for answers alone, one a line; write to stderr whatever else there is to say.
    stdout.add(utf8.encode('${jsonEncode(told)}\n'));
    await stdout.flush();
  }
  exit(0);
}
