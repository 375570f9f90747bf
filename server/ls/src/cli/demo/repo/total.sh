#!/bin/sh
# Adds up the numbers in a file, one a line. Empty lines and lines that start with # do not count.
sum=0
while read -r line; do
  case $line in
    '') continue ;;
  esac
  sum=$((sum + line))
done < "$1"
echo "$sum"
