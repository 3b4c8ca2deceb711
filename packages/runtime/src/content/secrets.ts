// Runs the rules of secretlint without its engine, which obeys comments in the text that switch rules off: an attacker could write them.
import { rules } from '@secretlint/secretlint-rule-preset-recommend'
import type { Detector, Range } from './detector.ts'

interface Message {
  readonly message: string
  readonly data: Readonly<Record<string, unknown>>
}

interface Report {
  readonly range: Range
  readonly message: Message
}

interface Context {
  readonly sharedOptions: Readonly<Record<string, never>>
  createTranslator(messages: unknown): (id: string, data?: Message['data']) => Message
  report(found: Report): void
  ignore(): void
}

interface Source {
  readonly filePath: string
  readonly ext: string
  readonly contentType: 'text'
  readonly content: string
  readonly hasBOM: boolean
}

interface Handler {
  file?(source: Source): void | Promise<void>
}

interface RuleCreator {
  readonly meta: { readonly id: string; readonly type: 'scanner' | 'filter' }
  create(context: Context, options: Readonly<Record<string, never>>): Handler
}

/** The package's types need another package; this is the part of its interface that is used. */
const CREATORS = rules as unknown as readonly RuleCreator[]

export const SECRETS: Detector = {
  name: 'secretlint',
  version: '11.7.1',
  find: async (content) => {
    const found: Range[] = []
    const context: Context = {
      sharedOptions: {},
      createTranslator:
        () =>
        (message, data = {}) => ({ message, data }),
      report: (report) => void found.push(...locateSecret(content, report)),
      ignore: () => undefined,
    }
    const source: Source = {
      filePath: 'value.txt',
      ext: '.txt',
      contentType: 'text',
      content,
      hasBOM: false,
    }
    for (const creator of CREATORS) {
      if (creator.meta.type === 'scanner') await creator.create(context, {}).file?.(source)
    }
    return found
  },
}

/** Some rules report the length of the secret at the start of the whole match, with its name, so the secret is looked up. */
function locateSecret(content: string, { range, message }: Report): readonly Range[] {
  const [start, end] = range
  const values = Object.values(message.data).filter((value) => typeof value === 'string')
  const covered = content.slice(start, end)
  if (values.includes(covered)) return [range]
  const places = values.flatMap((value): Range[] => {
    const at = value === '' ? -1 : content.indexOf(value, start)
    return at < 0 ? [] : [[at, at + value.length]]
  })
  return places.length === 0 ? [range] : places
}
