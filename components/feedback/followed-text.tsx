// Outcome of a delivery's suggestion, as icon and label. It is no verdict, so it has no hue.
import {
  CircleCheck,
  CircleDashed,
  CircleQuestionMark,
  CircleStop,
  CircleX,
  type LucideIcon,
  Minus,
} from 'lucide-react'
import type { DeliveryFacts } from '@/server/feedback/delivery-list.sql.ts'

type Followed = NonNullable<DeliveryFacts['followed']>

const LOOKS: Readonly<Record<Followed, { readonly icon: LucideIcon; readonly word: string }>> = {
  yes: { icon: CircleCheck, word: 'followed' },
  no: { icon: CircleX, word: 'not followed' },
  ended: { icon: CircleStop, word: 'session ended first' },
  open: { icon: CircleDashed, word: 'open' },
  unknown: { icon: CircleQuestionMark, word: 'unknown' },
}

/** `followed` null: the feedback suggested no observable action. */
export function FollowedText({ followed }: { readonly followed: Followed | null }) {
  const { icon: Icon, word } =
    followed === null ? { icon: Minus, word: 'no action suggested' } : LOOKS[followed]
  return (
    <span className="inline-flex items-center gap-1.5 text-text-2">
      <Icon size={14} aria-hidden className="shrink-0 text-neutral-mark" />
      {/* The label, not the icon, aligns with the baseline of its text. */}
      <span className="self-baseline">{word}</span>
    </span>
  )
}
