package facts

default allow := false

allow if count(deny) == 0

content_known(reader) if input.exists == "no"

content_known(reader) if {
	input.exists == "file"
	input[reader] == "current"
}

deny contains "order-0" if {
	input.tool == "write_file"
	not "lint" in input.succeeded
}

deny contains "files-1" if {
	input.tool == "write_file"
	not content_known("read_file")
}

deny contains "order-2" if {
	input.tool == "write_file-2"
	not "build" in input.succeeded
}

deny contains "files-3" if {
	input.tool == "write_file-3"
	not content_known("open_file")
}

deny contains "order-4" if {
	input.tool == "write_file-4"
	not "test" in input.succeeded
}

deny contains "files-5" if {
	input.tool == "write_file-5"
	not content_known("read_file")
}

deny contains "order-6" if {
	input.tool == "write_file-6"
	not "lint" in input.succeeded
}

deny contains "files-7" if {
	input.tool == "write_file-7"
	not content_known("open_file")
}

deny contains "order-8" if {
	input.tool == "write_file-8"
	not "build" in input.succeeded
}

deny contains "files-9" if {
	input.tool == "write_file-9"
	not content_known("read_file")
}

deny contains "order-10" if {
	input.tool == "write_file"
	not "test" in input.succeeded
}

deny contains "files-11" if {
	input.tool == "write_file"
	not content_known("open_file")
}

deny contains "order-12" if {
	input.tool == "write_file-12"
	not "lint" in input.succeeded
}

deny contains "files-13" if {
	input.tool == "write_file-13"
	not content_known("read_file")
}

deny contains "order-14" if {
	input.tool == "write_file-14"
	not "build" in input.succeeded
}

deny contains "files-15" if {
	input.tool == "write_file-15"
	not content_known("open_file")
}

deny contains "order-16" if {
	input.tool == "write_file-16"
	not "test" in input.succeeded
}

deny contains "files-17" if {
	input.tool == "write_file-17"
	not content_known("read_file")
}

deny contains "order-18" if {
	input.tool == "write_file-18"
	not "lint" in input.succeeded
}

deny contains "files-19" if {
	input.tool == "write_file-19"
	not content_known("open_file")
}

deny contains "order-20" if {
	input.tool == "write_file"
	not "build" in input.succeeded
}

deny contains "files-21" if {
	input.tool == "write_file"
	not content_known("read_file")
}

deny contains "order-22" if {
	input.tool == "write_file-22"
	not "test" in input.succeeded
}

deny contains "files-23" if {
	input.tool == "write_file-23"
	not content_known("open_file")
}

deny contains "order-24" if {
	input.tool == "write_file-24"
	not "lint" in input.succeeded
}

deny contains "files-25" if {
	input.tool == "write_file-25"
	not content_known("read_file")
}

deny contains "order-26" if {
	input.tool == "write_file-26"
	not "build" in input.succeeded
}

deny contains "files-27" if {
	input.tool == "write_file-27"
	not content_known("open_file")
}

deny contains "order-28" if {
	input.tool == "write_file-28"
	not "test" in input.succeeded
}

deny contains "files-29" if {
	input.tool == "write_file-29"
	not content_known("read_file")
}

deny contains "order-30" if {
	input.tool == "write_file"
	not "lint" in input.succeeded
}

deny contains "files-31" if {
	input.tool == "write_file"
	not content_known("open_file")
}

deny contains "order-32" if {
	input.tool == "write_file-32"
	not "build" in input.succeeded
}

deny contains "files-33" if {
	input.tool == "write_file-33"
	not content_known("read_file")
}

deny contains "order-34" if {
	input.tool == "write_file-34"
	not "test" in input.succeeded
}

deny contains "files-35" if {
	input.tool == "write_file-35"
	not content_known("open_file")
}

deny contains "order-36" if {
	input.tool == "write_file-36"
	not "lint" in input.succeeded
}

deny contains "files-37" if {
	input.tool == "write_file-37"
	not content_known("read_file")
}

deny contains "order-38" if {
	input.tool == "write_file-38"
	not "build" in input.succeeded
}

deny contains "files-39" if {
	input.tool == "write_file-39"
	not content_known("open_file")
}

deny contains "order-40" if {
	input.tool == "write_file"
	not "test" in input.succeeded
}

deny contains "files-41" if {
	input.tool == "write_file"
	not content_known("read_file")
}

deny contains "order-42" if {
	input.tool == "write_file-42"
	not "lint" in input.succeeded
}

deny contains "files-43" if {
	input.tool == "write_file-43"
	not content_known("open_file")
}

deny contains "order-44" if {
	input.tool == "write_file-44"
	not "build" in input.succeeded
}

deny contains "files-45" if {
	input.tool == "write_file-45"
	not content_known("read_file")
}

deny contains "order-46" if {
	input.tool == "write_file-46"
	not "test" in input.succeeded
}

deny contains "files-47" if {
	input.tool == "write_file-47"
	not content_known("open_file")
}

deny contains "order-48" if {
	input.tool == "write_file-48"
	not "lint" in input.succeeded
}

deny contains "files-49" if {
	input.tool == "write_file-49"
	not content_known("read_file")
}

deny contains "order-50" if {
	input.tool == "write_file"
	not "build" in input.succeeded
}

deny contains "files-51" if {
	input.tool == "write_file"
	not content_known("open_file")
}

deny contains "order-52" if {
	input.tool == "write_file-52"
	not "test" in input.succeeded
}

deny contains "files-53" if {
	input.tool == "write_file-53"
	not content_known("read_file")
}

deny contains "order-54" if {
	input.tool == "write_file-54"
	not "lint" in input.succeeded
}

deny contains "files-55" if {
	input.tool == "write_file-55"
	not content_known("open_file")
}

deny contains "order-56" if {
	input.tool == "write_file-56"
	not "build" in input.succeeded
}

deny contains "files-57" if {
	input.tool == "write_file-57"
	not content_known("read_file")
}

deny contains "order-58" if {
	input.tool == "write_file-58"
	not "test" in input.succeeded
}

deny contains "files-59" if {
	input.tool == "write_file-59"
	not content_known("open_file")
}

deny contains "order-60" if {
	input.tool == "write_file"
	not "lint" in input.succeeded
}

deny contains "files-61" if {
	input.tool == "write_file"
	not content_known("read_file")
}

deny contains "order-62" if {
	input.tool == "write_file-62"
	not "build" in input.succeeded
}

deny contains "files-63" if {
	input.tool == "write_file-63"
	not content_known("open_file")
}

deny contains "order-64" if {
	input.tool == "write_file-64"
	not "test" in input.succeeded
}

deny contains "files-65" if {
	input.tool == "write_file-65"
	not content_known("read_file")
}

deny contains "order-66" if {
	input.tool == "write_file-66"
	not "lint" in input.succeeded
}

deny contains "files-67" if {
	input.tool == "write_file-67"
	not content_known("open_file")
}

deny contains "order-68" if {
	input.tool == "write_file-68"
	not "build" in input.succeeded
}

deny contains "files-69" if {
	input.tool == "write_file-69"
	not content_known("read_file")
}

deny contains "order-70" if {
	input.tool == "write_file"
	not "test" in input.succeeded
}

deny contains "files-71" if {
	input.tool == "write_file"
	not content_known("open_file")
}

deny contains "order-72" if {
	input.tool == "write_file-72"
	not "lint" in input.succeeded
}

deny contains "files-73" if {
	input.tool == "write_file-73"
	not content_known("read_file")
}

deny contains "order-74" if {
	input.tool == "write_file-74"
	not "build" in input.succeeded
}

deny contains "files-75" if {
	input.tool == "write_file-75"
	not content_known("open_file")
}

deny contains "order-76" if {
	input.tool == "write_file-76"
	not "test" in input.succeeded
}

deny contains "files-77" if {
	input.tool == "write_file-77"
	not content_known("read_file")
}

deny contains "order-78" if {
	input.tool == "write_file-78"
	not "lint" in input.succeeded
}

deny contains "files-79" if {
	input.tool == "write_file-79"
	not content_known("open_file")
}

deny contains "order-80" if {
	input.tool == "write_file"
	not "build" in input.succeeded
}

deny contains "files-81" if {
	input.tool == "write_file"
	not content_known("read_file")
}

deny contains "order-82" if {
	input.tool == "write_file-82"
	not "test" in input.succeeded
}

deny contains "files-83" if {
	input.tool == "write_file-83"
	not content_known("open_file")
}

deny contains "order-84" if {
	input.tool == "write_file-84"
	not "lint" in input.succeeded
}

deny contains "files-85" if {
	input.tool == "write_file-85"
	not content_known("read_file")
}

deny contains "order-86" if {
	input.tool == "write_file-86"
	not "build" in input.succeeded
}

deny contains "files-87" if {
	input.tool == "write_file-87"
	not content_known("open_file")
}

deny contains "order-88" if {
	input.tool == "write_file-88"
	not "test" in input.succeeded
}

deny contains "files-89" if {
	input.tool == "write_file-89"
	not content_known("read_file")
}

deny contains "order-90" if {
	input.tool == "write_file"
	not "lint" in input.succeeded
}

deny contains "files-91" if {
	input.tool == "write_file"
	not content_known("open_file")
}

deny contains "order-92" if {
	input.tool == "write_file-92"
	not "build" in input.succeeded
}

deny contains "files-93" if {
	input.tool == "write_file-93"
	not content_known("read_file")
}

deny contains "order-94" if {
	input.tool == "write_file-94"
	not "test" in input.succeeded
}

deny contains "files-95" if {
	input.tool == "write_file-95"
	not content_known("open_file")
}

deny contains "order-96" if {
	input.tool == "write_file-96"
	not "lint" in input.succeeded
}

deny contains "files-97" if {
	input.tool == "write_file-97"
	not content_known("read_file")
}

deny contains "order-98" if {
	input.tool == "write_file-98"
	not "build" in input.succeeded
}

deny contains "files-99" if {
	input.tool == "write_file-99"
	not content_known("open_file")
}
