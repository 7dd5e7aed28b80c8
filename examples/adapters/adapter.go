// An adapter in Go, of the standard library alone, that speaks the wire:
//
//	go build -o adapter adapter.go && pytest --impl='cmd:./adapter'
//
// Put your parser in the place of Parser, and say in implementation what it is.
package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"
)

var implementation = map[string]any{
	"name":     "template-go",
	"version":  "1.0",
	"language": "Go",
	"dialects": []string{"qwen3"},
	"policy":   map[string]any{"declined": "dropped", "reopen": "text", "stray_close": "text", "echoed_open": "text"},
}

type marker struct {
	text, next string
}

// state: the markers that act there, and the state that each leads to
var states = map[string][]marker{
	"before": {{"<think>", "inside"}, {"</think>", "after"}, {"<tool_call>", "call"}},
	"words":  {{"<think>", "inside"}, {"<tool_call>", "call"}}, // before, once words came: a closer is text then
	"inside": {{"</think>", "after"}, {"<tool_call>", "call"}},
	"after":  {{"<tool_call>", "call"}},
	"call":   {{"</tool_call>", "after"}},
}

// Delta is a channel and the text that is released to it.
type Delta [2]string

// Parser reads one output of Qwen3, fed in chunks.
type Parser struct {
	state, held string
}

// NewParser begins. opened: the prompt ended with <think>.
func NewParser(opened bool) *Parser {
	if opened {
		return &Parser{state: "inside"}
	}
	return &Parser{state: "before"}
}

func (p *Parser) Feed(text string) []Delta { return p.read(p.held+text, false) }

func (p *Parser) Finish() []Delta { return p.read(p.held, true) }

// The deltas that a text releases; what may still become a marker is held.
func (p *Parser) read(text string, final bool) []Delta {
	deltas := []Delta{} // an empty list, which is [] in JSON; a nil slice would be null
	p.held = ""
	for {
		at := strings.IndexByte(text, '<')
		if at < 0 {
			return p.release(deltas, text)
		}
		deltas = p.release(deltas, text[:at])
		text = text[at:]
		found, begun := marker{}, false
		for _, each := range states[p.state] {
			if strings.HasPrefix(text, each.text) {
				found = each
			}
			begun = begun || strings.HasPrefix(each.text, text)
		}
		switch {
		case found.text != "":
			if strings.Contains(found.text, "tool_call") {
				deltas = append(deltas, Delta{"content", found.text})
			}
			p.state, text = found.next, text[len(found.text):]
		case begun && !final:
			p.held = text
			return deltas
		default:
			deltas = p.release(deltas, "<")
			text = text[1:]
		}
	}
}

func (p *Parser) release(deltas []Delta, text string) []Delta {
	if text == "" {
		return deltas
	}
	channel := "content"
	if p.state == "inside" {
		channel = "reasoning"
	}
	if p.state == "before" && strings.Trim(text, " \t\n\r\v\f") != "" {
		p.state = "words"
	}
	return append(deltas, Delta{channel, text})
}

type question struct {
	Cmd     string
	Seq     int
	Request struct {
		Dialect          string
		Opened, Thinking bool
		Surface          *string
	}
	Raw    string
	Chunks []struct {
		Text string
		Ids  []int
	}
	Finish string
}

// One list of deltas a chunk, and one more, the last, for after the end.
func stream(asked question) [][]Delta {
	parser := NewParser(asked.Request.Opened)
	told := [][]Delta{}
	for _, chunk := range asked.Chunks {
		told = append(told, parser.Feed(chunk.Text))
	}
	return append(told, parser.Finish())
}

// The message of a whole output. If your parser has a function of its own for that, call it here.
func split(asked question) map[string]string {
	parser := NewParser(asked.Request.Opened)
	var reasoning, content strings.Builder
	for _, delta := range append(parser.Feed(asked.Raw), parser.Finish()...) {
		if delta[0] == "reasoning" {
			reasoning.WriteString(delta[1])
		} else {
			content.WriteString(delta[1])
		}
	}
	return map[string]string{"reasoning": reasoning.String(), "content": content.String()}
}

// The answer to one question. A panic of the parser is an answer too; this process goes on.
func answer(asked question) (told map[string]any) {
	defer func() {
		if failure := recover(); failure != nil {
			told = map[string]any{"seq": asked.Seq, "error": fmt.Sprint(failure)}
		}
	}()
	if asked.Cmd == "split" {
		return map[string]any{"seq": asked.Seq, "message": split(asked)}
	}
	return map[string]any{"seq": asked.Seq, "deltas": stream(asked)}
}

func main() {
	// Not a bufio.Scanner, which gives up at lines of 64 KB.
	input, output := bufio.NewReader(os.Stdin), bufio.NewWriter(os.Stdout)
	for {
		line, err := input.ReadBytes('\n')
		if err == io.EOF && len(bytes.TrimSpace(line)) == 0 {
			return
		}
		var asked question
		if failure := json.Unmarshal(line, &asked); failure != nil {
			fmt.Fprintln(os.Stderr, failure)
			os.Exit(1)
		}
		var told map[string]any
		switch asked.Cmd {
		case "stop":
			return
		case "start":
			told = map[string]any{"version": 1, "implementation": implementation}
		default:
			told = answer(asked)
		}
		// stdout is for answers alone, one a line, each flushed; print to stderr whatever else there is to say.
		text, failure := json.Marshal(told)
		if failure != nil {
			fmt.Fprintln(os.Stderr, failure)
			os.Exit(1)
		}
		output.Write(append(text, '\n'))
		output.Flush()
	}
}
