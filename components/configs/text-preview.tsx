'use client'
// Loaded late: it brings the parser of configs.
import { parseConfigText } from '@signalbox/wire'
import { ErrorLine } from '@/components/ui/states.tsx'
import { rulesInWords } from '@/server/configs/rules-in-words.ts'
import { RulePreview } from './rule-preview.tsx'

export function TextPreview({ text }: { readonly text: string }) {
  const parsed = parseConfigText(text)
  const broken = parsed.ok ? undefined : parsed.problems.find(({ code }) => code === 'syntax')
  if (broken !== undefined) return <ErrorLine>{broken.message}</ErrorLine>
  return <RulePreview rules={rulesInWords(text)} />
}
