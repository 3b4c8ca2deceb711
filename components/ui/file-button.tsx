'use client'
import { type ComponentProps, type Ref, useRef } from 'react'
import { Button } from './button.tsx'

interface FileInputProps {
  /** Accessible name of the input, which only a button or a menu opens. */
  readonly label: string
  readonly accept: string
  /** Absent: one file at a time. */
  readonly multiple?: boolean | undefined
  readonly onFiles: (files: readonly [File, ...File[]]) => void
}

export function FileInput({
  ref,
  label,
  accept,
  multiple,
  onFiles,
}: FileInputProps & { readonly ref: Ref<HTMLInputElement> }) {
  return (
    <input
      ref={ref}
      type="file"
      accept={accept}
      multiple={multiple}
      aria-label={label}
      className="sr-only"
      tabIndex={-1}
      onChange={({ target }) => {
        const [first, ...rest] = target.files ?? []
        if (first !== undefined) onFiles([first, ...rest])
        target.value = ''
      }}
    />
  )
}

export function FileButton({
  label,
  accept,
  multiple,
  onFiles,
  ...props
}: Omit<ComponentProps<typeof Button>, 'onClick'> & FileInputProps) {
  const input = useRef<HTMLInputElement>(null)
  return (
    <>
      <FileInput ref={input} label={label} accept={accept} multiple={multiple} onFiles={onFiles} />
      <Button {...props} onClick={() => input.current?.click()} />
    </>
  )
}
