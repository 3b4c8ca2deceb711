import { GuardrailError } from '@signalbox/runtime/base'
import type { MarkdownSection } from './section.ts'

export type ParameterValue = string | number | boolean

const TOP_LEVEL = 2
const DEEPEST_LEVEL = 6
const PLACEHOLDER = /\$(\$?)\{([A-Za-z_][A-Za-z0-9_]*)\}/g

/** Throws GuardrailError `prompt_invalid`, which names the parameter without a usable value, and its section. */
export function renderSections(
  sections: readonly MarkdownSection[],
  parameters: { readonly [name: string]: unknown },
): string {
  return sections
    .flatMap((section) => renderBlocks(section, parameters, TOP_LEVEL))
    .filter((block) => block !== '')
    .join('\n\n')
}

function renderBlocks(
  section: MarkdownSection,
  parameters: { readonly [name: string]: unknown },
  level: number,
): readonly string[] {
  const fill = (text: string) => filled(text, parameters, section)
  const heading =
    section.title === null
      ? ''
      : `${'#'.repeat(Math.min(level, DEEPEST_LEVEL))} ${fill(section.title)}`
  const below = section.sections.flatMap((child) => renderBlocks(child, parameters, level + 1))
  return [heading, fill(dedent(section.template)), ...below]
}

function filled(
  text: string,
  parameters: { readonly [name: string]: unknown },
  section: MarkdownSection,
): string {
  return text.replace(PLACEHOLDER, (_, escaped: string, name: string) => {
    if (escaped !== '') return `\${${name}}`
    const value = Object.hasOwn(parameters, name) ? parameters[name] : undefined
    if (isParameterValue(value)) return String(value)
    throw new GuardrailError('prompt_invalid', problemWith(name, value, section))
  })
}

function isParameterValue(value: unknown): value is ParameterValue {
  return ['string', 'number', 'boolean'].includes(typeof value)
}

function problemWith(name: string, value: unknown, { title, key }: MarkdownSection): string {
  const place = title ?? key
  const where = place === null ? 'A section' : `The section "${place}"`
  return value === undefined
    ? `${where} needs a value for "${name}". Set it with prompt.bind({ ${name}: … }).`
    : `${where} can only print text, numbers and booleans, and "${name}" is neither.`
}

function dedent(text: string): string {
  const lines = text.replace(/^\s*\n|\s+$/g, '').split('\n')
  const indents = lines.filter((line) => line.trim() !== '').map((line) => line.search(/\S/))
  const shared = Math.min(...indents, Number.MAX_SAFE_INTEGER)
  return lines.map((line) => line.slice(shared)).join('\n')
}
