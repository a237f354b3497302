import { speaker } from '../../long-transcript.ts'

/** A message of the transcript that every measured page shows. */
export type Message = { id: string; role: 'user' | 'assistant'; text: string }

const code = (at: number) => `
\`\`\`php
<?php
final class Demo${at}
{
    public function run(array $rows): int
    {
        foreach ($rows as $uid => $row) {
            echo $uid . ': ' . $row['title'];
        }
        return count($rows);
    }
}
\`\`\`
`

/** Returns `count` messages, the same at every call; the text of each contains its id, such as `M-00000`. */
export function messages(count: number): Message[] {
  const some = speaker()
  return Array.from({ length: count }, (_, at) => {
    const id = `M-${String(at).padStart(5, '0')}`
    if (at % 2 === 0) return { id, role: 'user', text: `${id} ${some(12)}?` }
    return { id, role: 'assistant', text: `${id} ${answer(at, (at - 1) / 2, some)}` }
  })
}

/** Every second answer has code, every third a table, every fifth a quotation and a numbered list. */
function answer(at: number, number: number, some: (length: number) => string): string {
  const list = [6, 6, 6].map((length) => `- ${some(length)}\n`).join('')
  const rows = () => [1, 2, 3, 4, 5].map((row) => `| ${at * 10 + row} | ${some(3)} | ${some(1)} |`).join('\n')
  return [
    `**${some(3)}** ${some(25)} with \`inline_code\` and [a link](https://example.org/p/${at}).\n\n${some(40)}.\n\n${list}`,
    number % 2 === 0 ? code(at) : '',
    number % 3 === 0 ? `\n| uid | title | status |\n| --- | --- | ---: |\n${rows()}\n` : '',
    number % 5 === 0 ? `\n> ${some(14)}\n\n1. ${some(5)}\n2. ${some(5)}\n` : '',
  ].join('')
}
