'use client'
// Loaded late: it brings the parser of configs.
import { rulesInWords } from '@/server/configs/rules-in-words.ts'
import { RulePreview } from './rule-preview.tsx'

export function TextPreview({ text }: { readonly text: string }) {
  return <RulePreview rules={rulesInWords(text)} />
}
