'use client'
// Loaded late: it brings the parser of configs.
import { parseConfigText } from '@signalbox/wire'
import { ErrorLine } from '@/components/ui/states.tsx'
import { rulesInWords } from '@/server/configs/rules-in-words.ts'
import { RulePreview } from './rule-preview.tsx'

export function TextPreview({ text }: { readonly text: string }) {
  if (text.trim() === '')
    return <p className="text-text-2">No rules yet: every call and every stop is allowed.</p>
  const parsed = parseConfigText(text)
  const broken = parsed.ok ? undefined : parsed.problems.find(({ code }) => code === 'syntax')
  if (broken !== undefined) return <ErrorLine>{broken.message}</ErrorLine>
  return <RulePreview rules={rulesInWords(text)} />
}
